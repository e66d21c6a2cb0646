const amount = <const D extends string>(description: D) =>
  ({
    type: ['number', 'string'],
    minimum: 0,
    maximum: 1_000_000,
    pattern: '^\\d{1,7}(\\.\\d{1,12})?$',
    'x-form': 'an amount in USD such as 0.15',
    description,
  }) as const;

/** Prices of tokens. Requests with a long input may have different ones. */
const tokens = {
  input: amount('Per million input tokens.'),
  cached_input: amount('Per million input tokens that were read from a cache. Default: input.'),
  cache_write: amount('Per million input tokens that were written to a cache. Default: input.'),
  cache_write_1h: amount('The same for a cache of one hour. Default: cache_write.'),
  output: amount('Per million output tokens.'),
  reasoning: amount('Per million reasoning tokens. Default: output.'),
  audio_in: amount('Per million audio tokens in the input. Default: input.'),
  cached_audio: amount('Per million audio tokens that were read from a cache. Default: cached_input.'),
  audio_out: amount('Per million audio tokens in the output. Default: output.'),
  image_in: amount('Per million image tokens in the input. Default: input.'),
  cached_image: amount('Per million image tokens that were read from a cache. Default: cached_input.'),
  image_out: amount('Per million image tokens in the output. Default: output.'),
} as const;

/** Schema of an entry of `pricing:`. */
export const pricing = {
  type: 'object',
  properties: {
    ...tokens,
    characters: amount('Per million characters of synthesized speech.'),
    audio_minute: amount('Per minute of transcribed audio.'),
    image: {
      ...amount('Per image; or a mapping by "<size>/<quality>", "<size>", "*/<quality>" or "*".'),
      type: ['number', 'string', 'object'],
      additionalProperties: amount('Per image of this size and quality.'),
    },
    request: amount('Per request.'),
    web_searches: amount('Per thousand searches that the provider makes.'),
    file_searches: amount('Per thousand searches in files that the provider keeps.'),
    container: amount('Per container of the provider in which a response runs code.'),
    long_context: {
      type: 'array',
      description:
        'Prices of requests with more input tokens than this. Prices that are not set are those of the row before, else the ordinary ones.',
      items: {
        type: 'object',
        properties: { above: { type: 'integer', minimum: 1, description: 'Input tokens.' }, ...tokens },
        required: ['above'],
        additionalProperties: false,
      },
    },
    batch_discount: { type: 'number', minimum: 0, maximum: 1, description: 'Discount for batches: 0.5 is half price.' },
    service_tiers: {
      type: 'object',
      description: 'Price factor for each service tier that a response can name.',
      additionalProperties: { type: 'number', minimum: 0, maximum: 1000 },
      examples: [{ flex: 0.5, priority: 1.75 }],
    },
    currency: { enum: ['USD'], type: 'string', description: 'Costs are counted in USD.', default: 'USD' },
    source: { type: 'string', maxLength: 100, description: 'Source of the price, shown with each cost.', examples: ['contract 4711'] },
    date: { type: 'string', maxLength: 20, description: 'Date of the price.', examples: ['2026-05-01'] },
  },
  additionalProperties: false,
} as const;

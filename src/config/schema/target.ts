import { apiKey, customHost, durationForm, metadata, statusCodes, timeouts } from './shared.ts';

const strategy = {
  type: 'object',
  description: 'How one of the targets is chosen.',
  properties: {
    mode: {
      type: 'string',
      enum: ['single', 'fallback', 'loadbalance', 'conditional'],
      description: 'single: the first; fallback: in order until one answers; loadbalance: by weight; conditional: by the request.',
      examples: ['fallback'],
    },
    on_status_codes: { ...statusCodes, description: 'Fallback: the statuses that move on to the next target. Without it: all but 2xx.' },
    conditions: {
      type: 'array',
      minItems: 1,
      description: 'Conditional: the first whose query holds decides.',
      items: {
        type: 'object',
        properties: {
          query: {
            type: 'object',
            description:
              'Over metadata.<key>, params.<body field> and url.pathname, with $eq $ne $in $nin $gt $gte $lt $lte $regex $and $or.',
            examples: [{ 'metadata.plan': { $eq: 'paid' } }],
          },
          // biome-ignore lint/suspicious/noThenProperty: the name is given by the format of config objects
          then: { type: 'string', minLength: 1, description: 'Name of the target.', examples: ['big'] },
        },
        required: ['query', 'then'],
        additionalProperties: false,
      },
    },
    default: { type: 'string', minLength: 1, description: 'Conditional: name of the target when no query holds.' },
  },
  required: ['mode'],
  additionalProperties: false,
} as const;

const retry = {
  type: 'object',
  description: 'Further tries of the same target.',
  properties: {
    attempts: { type: 'integer', minimum: 0, maximum: 5, description: 'Tries after the first one.', examples: [2] },
    on_status_codes: { ...statusCodes, description: 'The statuses that are tried again.', default: [429, 500, 502, 503, 504] },
    use_retry_after_header: { type: 'boolean', description: 'Wait as long as the provider asks.', default: false },
  },
  additionalProperties: false,
} as const;

/** The settings of a config and of each target, without `targets` itself, which makes it a tree. */
export const targetSettings = {
  type: 'object',
  properties: {
    provider: {
      type: 'string',
      minLength: 1,
      description: 'Slug from providers or virtual_keys, with or without @.',
      examples: ['openai-main'],
    },
    virtual_key: { type: 'string', minLength: 1, description: 'Name from virtual_keys.' },
    prompt_id: {
      type: 'string',
      minLength: 1,
      description: 'A stored prompt in place of the one that the request names; such a config serves the prompts routes only.',
      examples: ['welcome@2'],
    },
    retry,
    cache: {
      type: 'object',
      description: 'Not in use yet: accepted so that existing config objects load.',
      properties: {
        mode: { type: 'string', enum: ['simple', 'semantic'], description: 'Exact or by meaning.' },
        max_age: { type: 'integer', minimum: 1, description: 'Seconds.' },
      },
      additionalProperties: false,
    },
    weight: {
      type: 'number',
      minimum: 0,
      description: 'Loadbalance: share of the requests, relative to its siblings; 0 is never.',
      default: 1,
    },
    override_params: { type: 'object', description: 'Merged over the request body.', examples: [{ temperature: 0.2 }] },
    strategy,
    name: { type: 'string', minLength: 1, description: 'What conditions call this target.' },
    config: { type: 'string', minLength: 1, description: 'Another named config as this target.' },
    labels: { type: 'object', additionalProperties: { type: 'string' }, description: 'Short for override_params.labels.' },
    request_timeout: {
      type: ['integer', 'string'],
      minimum: 1,
      maximum: 86400000,
      pattern: '^\\d+(\\.\\d+)?(ms|s|m|h|d)$',
      'x-form': `milliseconds, or ${durationForm}`,
      'x-range': ['1ms', '24h'],
      description: 'Until a stream has begun, or a whole answer has ended. A bare number is milliseconds.',
      examples: [30000],
    },
    timeouts,
    api_key: apiKey,
    custom_host: customHost,
    forward_headers: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      description: "The caller's headers that go to the provider.",
    },
    strict_compliance: { type: 'boolean', description: 'false: answers carry more than the OpenAI format knows.', default: true },
    reasoning_content: {
      type: 'boolean',
      description:
        'true: chat completions also carry the thoughts of the model as `reasoning_content`, whatever strict_compliance says. The header x-gateway-reasoning-content takes precedence.',
      default: false,
    },
    metadata,
    description: { type: 'string', description: 'A note for people.' },
  },
} as const;

/** A target may be the short text `slug/model`. */
export const targetText = {
  pattern: '^@?[a-z0-9][a-z0-9._-]{0,62}(/\\S+)?$',
  'x-form': 'a provider and a model such as openai-main/gpt-4o, or a mapping',
} as const;

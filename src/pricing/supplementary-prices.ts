import type { WrittenPrice } from '../core/cost/price.ts';

interface ImagePriceRow {
  /** Prefix of the model name. */
  readonly model: string;
  readonly images: Readonly<Record<string, string>>;
}

/**
 * Models priced per image that the price list lacks, in USD by `<size>/<quality>`.
 * https://platform.openai.com/docs/pricing, https://ai.google.dev/gemini-api/docs/pricing and
 * https://cloud.google.com/vertex-ai/generative-ai/pricing as of September 2025.
 */
const openai: readonly ImagePriceRow[] = [
  {
    model: 'dall-e-3',
    images: {
      '*': '0.04',
      '1024x1024': '0.04',
      '1024x1792': '0.08',
      '1792x1024': '0.08',
      '*/hd': '0.08',
      '1024x1024/hd': '0.08',
      '1024x1792/hd': '0.12',
      '1792x1024/hd': '0.12',
    },
  },
  { model: 'dall-e-2', images: { '*': '0.02', '1024x1024': '0.02', '512x512': '0.018', '256x256': '0.016' } },
];

const google: readonly ImagePriceRow[] = [
  { model: 'imagen-4.0-ultra', images: { '*': '0.06' } },
  { model: 'imagen-4.0-fast', images: { '*': '0.02' } },
  { model: 'imagen-4.0', images: { '*': '0.04' } },
  { model: 'imagen-3.0-fast', images: { '*': '0.02' } },
  { model: 'imagen-3.0', images: { '*': '0.04' } },
];

/** Rows by provider name in the price list. */
const rows = new Map([
  ['openai', openai],
  ['azure', openai],
  ['google', google],
]);

export function pricePerImage(provider: string, model: string): WrittenPrice | undefined {
  const row = rows.get(provider)?.find((each) => model.startsWith(each.model));
  return row === undefined ? undefined : { source: "the gateway's own list of September 2025", prices: {}, images: row.images };
}

/** Models priced per character that the price list lacks, in USD per million characters. Source: the OpenAI page above. */
const speechPrices = new Map([
  ['tts-1', '15'],
  ['tts-1-hd', '30'],
]);
/** Providers that serve them. */
const speechProviders: ReadonlySet<string> = new Set(['openai', 'azure']);

export function pricePerCharacter(provider: string, model: string): WrittenPrice | undefined {
  const price = speechProviders.has(provider) ? speechPrices.get(model.replace(/-1106$/, '')) : undefined;
  return price === undefined ? undefined : { source: "the gateway's own list of September 2025", prices: { characters: price } };
}

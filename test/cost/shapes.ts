import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { compilePricing } from '../../src/config/compile/providers/pricing.ts';
import type { PriceEntry } from '../../src/config/schema/index.ts';
import type { PriceOverride } from '../../src/core/cost/book.ts';
import type { Usage, UsageDetails } from '../../src/core/model/usage.ts';
import type { UsageRecord } from '../../src/core/records/record.ts';
import { UsageCounts } from '../../src/formats/anthropic-messages/usage.ts';
import { converseUsage } from '../../src/formats/bedrock-converse/response/usage.ts';
import { geminiUsage } from '../../src/formats/google-generate/response/usage.ts';
import { readUsage, withTier } from '../../src/formats/shared/usage.ts';
import { usageIn } from '../../src/pipeline/record/usage.ts';

/** A row of `shapes.json`: usage in the format of a provider, and its cost, calculated by hand. */
export interface Shape {
  readonly type: string;
  /** The model that is sent upstream. */
  readonly model: string;
  /** The format of usage; `none` if the route reports none. */
  readonly format: 'chat' | 'anthropic' | 'google' | 'bedrock' | 'none';
  readonly usage: unknown;
  /** Default: the type. */
  readonly slug?: string;
  readonly asked?: string;
  readonly foundation?: string;
  readonly answered?: string;
  readonly details?: UsageDetails;
  readonly tier?: string;
  /** Default: 2026-11-22T12:00:00Z. */
  readonly at?: string;
  readonly note?: string;
  /** The calculation: count × price / units of the price. */
  readonly sum?: string;
  readonly usd: string | null;
}

const read = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8');

export const shapes = (): readonly Shape[] => JSON.parse(read('shapes.json')) as Shape[];

export const pricesOfFile = (): readonly PriceOverride[] =>
  compilePricing(parse(read('prices.yaml')) as Readonly<Record<string, PriceEntry>>);

const readers: Readonly<Record<Shape['format'], (usage: unknown) => Usage | undefined>> = {
  chat: readUsage,
  google: geminiUsage,
  bedrock: (usage) => converseUsage({ usage }),
  none: () => ({ prompt: 0, completion: 0 }),
  anthropic: (usage) => {
    const counts = new UsageCounts();
    counts.add(usage);
    return counts.usage;
  },
};

/** Usage as in the record. */
export function usageOf({ format, usage, details, tier }: Shape): UsageRecord {
  const found = withTier(readers[format](usage), tier);
  if (found === undefined) throw new Error('no usage was read');
  return usageIn(details === undefined ? found : { ...found, details: { ...found.details, ...details } });
}

import type { Draft, LogRecord, Notes, UsageRecord } from '../../core/records/record.ts';
import type { Chain } from '../chain.ts';
import type { RequestContext } from '../request.ts';
import { bounded, boundedTexts, limits, shrink } from './bounds.ts';
import { notesOf } from './notes.ts';

type Writable = { -readonly [K in keyof LogRecord]: LogRecord[K] };

/** Lets plugins add to the record what they know after the response has ended. Never throws. */
export function settle(ctx: RequestContext, record: LogRecord, chain: Chain, onDefect: (error: Error) => void): void {
  if (!chain.settles) return;
  const draft = new RecordDraft(record);
  chain.settle(ctx, draft, onDefect);
  draft.notes = notesOf(ctx);
}

const guardrailLimits = { members: 64, characters: 4096, levels: 4, masks: true } as const;

class RecordDraft implements Draft {
  readonly record: LogRecord;
  readonly #out: Writable;

  constructor(record: LogRecord) {
    this.record = record;
    this.#out = record;
  }

  get usage(): UsageRecord {
    return this.record.usage;
  }

  set usage(usage: UsageRecord) {
    const known = { ...this.record.usage };
    for (const name of counts) known[name] = count(name, usage[name]);
    this.#out.usage = { ...known, source: oneOf('source', ['reported', 'estimated', 'none'], usage.source) };
  }

  get cost(): LogRecord['cost'] {
    return this.record.cost;
  }

  set cost({ usd, source, prices }: LogRecord['cost']) {
    this.#out.cost = {
      usd: usd === null ? null : decimal('usd', usd),
      source: source === null ? null : bounded(text('source', source), limits.name),
      prices: boundedTexts(prices),
    };
  }

  get cache(): string {
    return this.record.cache;
  }

  set cache(cache: string) {
    this.#out.cache = bounded(text('cache', cache), limits.id);
  }

  get guardrails(): readonly unknown[] {
    return this.record.guardrails;
  }

  set guardrails(guardrails: readonly unknown[]) {
    if (!Array.isArray(guardrails)) throw new TypeError('"guardrails" must be a list');
    this.#out.guardrails = shrink(guardrails, guardrailLimits) as readonly unknown[];
  }

  set notes(notes: Notes) {
    this.#out.notes = notes;
  }
}

const counts = ['prompt', 'completion', 'cached', 'cache_write', 'reasoning', 'audio_in', 'audio_out'] as const;

function count(name: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw new TypeError(`"${name}" must be a number from 0 on`);
}

/** Amounts of money are decimal strings, never floating point numbers. */
function decimal(name: string, value: unknown): string {
  if (typeof value === 'string' && /^\d{1,12}(\.\d{1,12})?$/.test(value)) return value;
  throw new TypeError(`"${name}" must be a decimal number in a string`);
}

function text(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new TypeError(`"${name}" must be a string`);
}

function oneOf<T extends string>(name: string, allowed: readonly T[], value: T): T {
  if (allowed.includes(value)) return value;
  throw new TypeError(`"${name}" must be one of ${allowed.join(', ')}`);
}

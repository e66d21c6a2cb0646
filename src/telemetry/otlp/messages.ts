import type { EncodeSettings } from './exported.ts';
import type { Signal } from './payload.ts';
import type { PipeLimits, Result } from './pipe.ts';
import type { Collector } from './sender.ts';

/** What the thread that exports is told, and what it says. */
export type ToThread =
  | { readonly kind: 'settings'; readonly settings: ExportSettings }
  | { readonly kind: 'records'; readonly entries: readonly Entry[] }
  | { readonly kind: 'flush'; readonly withinMs: number };

export type FromThread =
  /** The records of one message were read: so many items were made of them, of which each gets a result. */
  | { readonly kind: 'read'; readonly items: Readonly<Record<Signal, number>> }
  | { readonly kind: 'result'; readonly signal: Signal; readonly items: number; readonly result: Result; readonly why: string | undefined }
  | { readonly kind: 'flushed' };

/** A record as it was written to the spool, and the texts that go along. */
export interface Entry {
  readonly line: string;
  /** Its trace is sampled. */
  readonly isTraced: boolean;
  readonly request: string | undefined;
  readonly response: string | undefined;
}

export interface ExportSettings {
  readonly encode: EncodeSettings;
  readonly traces: SignalSettings | undefined;
  readonly logs: SignalSettings | undefined;
  /** Hidden wherever they appear. */
  readonly secrets: readonly string[];
  readonly limits?: Partial<PipeLimits> | undefined;
}

export interface SignalSettings extends Collector {
  /** Messages go along. */
  readonly content: boolean;
}

export const charactersOf = ({ line, request, response }: Entry): number => line.length + (request?.length ?? 0) + (response?.length ?? 0);

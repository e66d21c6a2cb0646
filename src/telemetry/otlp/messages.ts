import type { ProxySetting } from '../../core/snapshot.ts';
import type { EncodeSettings } from './exported-record.ts';
import type { Signal } from './payload.ts';
import type { ExportQueueLimits, ExportResult } from './export-queue.ts';
import type { Collector } from './sender.ts';

/** Messages to and from the export thread. */
export type ToThread =
  | { readonly kind: 'settings'; readonly settings: ExportSettings }
  | { readonly kind: 'records'; readonly entries: readonly Entry[] }
  | { readonly kind: 'flush'; readonly withinMs: number };

export type FromThread =
  /** The records of one message were read and produced this number of items; each of them gets a result. */
  | { readonly kind: 'read'; readonly items: Readonly<Record<Signal, number>> }
  | {
      readonly kind: 'result';
      readonly signal: Signal;
      readonly items: number;
      readonly result: ExportResult;
      readonly why: string | undefined;
    }
  /** An export failed and is retried. */
  | { readonly kind: 'retry'; readonly signal: Signal; readonly why: string }
  | { readonly kind: 'flushed' };

/** A record as written to the spool, and its message texts. */
export interface Entry {
  readonly line: string;
  /** True if its trace is sampled. */
  readonly isTraced: boolean;
  readonly request: string | undefined;
  readonly response: string | undefined;
}

export interface ExportSettings {
  readonly encode: EncodeSettings;
  readonly traces: SignalSettings | undefined;
  readonly logs: SignalSettings | undefined;
  /** The proxy for collectors with https. */
  readonly proxy?: ProxySetting | undefined;
  /** Masked wherever they appear. */
  readonly secrets: readonly string[];
  readonly limits?: Partial<ExportQueueLimits> | undefined;
}

export interface SignalSettings extends Collector {
  /** True if messages are exported. */
  readonly content: boolean;
}

export const charactersOf = ({ line, request, response }: Entry): number => line.length + (request?.length ?? 0) + (response?.length ?? 0);

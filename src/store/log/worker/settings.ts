import type { JsonForm } from '../../../core/logs/reader.ts';
import type { Retention } from '../log-store.ts';

/** The database of the request log. */
export type LogDatabase =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string }
  | { readonly kind: 'memory' };

/** The start data of a thread of the request log. */
export type ThreadData =
  | {
      readonly role: 'writer';
      readonly database: LogDatabase;
      /** Folder of the spool; undefined if records are sent as messages. */
      readonly spool: string | undefined;
      readonly spoolLimit: number;
      readonly retention: Retention;
    }
  | { readonly role: 'reader'; readonly database: LogDatabase };

/** A query whose response is JSON. */
export interface WorkerQuery<T> extends JsonForm {
  readonly of: T;
}

/** The state that a writer reports. */
export interface WriterState {
  readonly kind: string;
  readonly records: number;
  readonly bytes: number;
  readonly oldest: number | null;
  readonly behind: { readonly bytes: number; readonly ms: number };
  /** Number of bodies, and of records, that were evicted from the spool; `dropped` also counts records that the store rejected. */
  readonly dropped_bodies: number;
  readonly dropped: number;
  /** Frames that were stored before their segment was evicted, by segment. */
  readonly stored_of_gone: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
}

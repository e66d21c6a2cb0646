import type { JsonForm } from '../../../core/logs/reader.ts';
import type { Retention } from '../log-store.ts';

/** Where the request log is kept. */
export type Database =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string }
  | { readonly kind: 'memory' };

/** What a thread of the request log is started with. */
export type ThreadData =
  | {
      readonly role: 'writer';
      readonly database: Database;
      /** Folder of the spool; undefined where records come as messages. */
      readonly spool: string | undefined;
      readonly spoolLimit: number;
      readonly retention: Retention;
    }
  | { readonly role: 'reader'; readonly database: Database };

/** A question whose response is JSON. */
export interface Question<T> extends JsonForm {
  readonly of: T;
}

/** What a writer tells of itself. */
export interface WriterState {
  readonly kind: string;
  readonly records: number;
  readonly bytes: number;
  readonly oldest: number | null;
  readonly behind: { readonly bytes: number; readonly ms: number };
  /** Bodies that made room in the spool, and records. */
  readonly dropped_bodies: number;
  readonly dropped: number;
  /** Frames that were stored of segments that made room, by segment. */
  readonly stored_of_gone: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
}

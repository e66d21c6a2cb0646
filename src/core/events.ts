import type { GatewayError } from './error.ts';
import type { JsonObject } from './json/merge.ts';
import type { Note } from './model/notes.ts';
import type { Usage } from './model/usage.ts';

/** One stream event as received, without framing. `name` is '' if the format has none. */
export interface WireEvent {
  readonly name: string;
  readonly data: string;
}

/** Content of a block, by its kind in the hub. */
export type BlockKind = 'text' | 'thinking' | 'redacted' | 'media' | 'tool' | 'native';

/**
 * The common event format of all streams: providers produce it, client dialects consume it. `choice` numbers the
 * choices (`n`), `block` numbers content blocks as the provider does, `index` of a tool call numbers calls over the
 * whole stream.
 */
export type ModelEvent =
  | {
      readonly type: 'start';
      readonly id: string;
      readonly model: string;
      readonly created: number;
      readonly fields?: Readonly<Record<string, unknown>>;
    }
  | {
      readonly type: 'block';
      readonly choice: number;
      readonly block: number;
      readonly state: 'open' | 'close';
      readonly kind: BlockKind;
      readonly native?: unknown;
    }
  | { readonly type: 'text'; readonly choice: number; readonly text: string; readonly block?: number; readonly signature?: string }
  | { readonly type: 'thinking'; readonly choice: number; readonly text?: string; readonly block?: number; readonly signature?: string }
  | { readonly type: 'redacted'; readonly choice: number; readonly block: number; readonly data: string }
  | { readonly type: 'refusal'; readonly choice: number; readonly text: string }
  | {
      readonly type: 'tool_call';
      readonly choice: number;
      readonly index: number;
      readonly kind?: 'function' | 'custom';
      readonly id?: string;
      readonly name?: string;
      readonly arguments?: string;
      readonly thoughtSignature?: string;
      /** What made the call, if it was not the model itself: code that runs at the service. */
      readonly caller?: JsonObject;
    }
  | {
      readonly type: 'media';
      readonly choice: number;
      readonly mimeType: string;
      readonly base64: string;
      readonly block?: number;
      readonly signature?: string;
    }
  /** All sources of a response, in OpenAI's form. Sent once, before the finish event, because client libraries cannot merge two lists. */
  | { readonly type: 'annotations'; readonly choice: number; readonly annotations: readonly JsonObject[] }
  | { readonly type: 'audio'; readonly choice: number; readonly audio: Readonly<Record<string, unknown>> }
  /** Fields merged into the chunk (without `choice`) or the choice; omitted under strict compliance unless `strict`. */
  | { readonly type: 'extra'; readonly choice?: number; readonly fields: Readonly<Record<string, unknown>>; readonly strict: boolean }
  /** For a later request of the conversation (`Call.notes`): not written to the client. */
  | { readonly type: 'note'; readonly note: Note }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'finish'; readonly choice: number; readonly reason: string; readonly raw?: string }
  | { readonly type: 'error'; readonly error: GatewayError };

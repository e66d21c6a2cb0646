import type { DialectCall } from '../../core/dialect.ts';
import type { JsonObject } from '../../core/json/merge.ts';

/** A service may send any number of kinds. */
const maxKinds = 8;

/** Reports the parts of a response that the client's API cannot return, each kind once. */
export class LeftOut {
  readonly #warn: DialectCall['warn'];
  readonly #kinds = new Set<string>();

  constructor({ warn }: Pick<DialectCall, 'warn'>) {
    this.#warn = warn;
  }

  /** @param mimeType may have parameters */
  file(mimeType: string): void {
    this.#add(mimeType.split(';')[0] || 'a file');
  }

  /** Of sound, clients get the transcript. */
  sound({ data }: { readonly data?: unknown }): void {
    if (typeof data === 'string' && data !== '') this.#add('audio');
  }

  /** @param block a step of a tool that ran at the service; one without a type is a part of another */
  step({ type, name }: JsonObject): void {
    if (typeof type === 'string' && type !== '') this.#add(type === 'server_tool_use' && typeof name === 'string' ? name : type);
  }

  #add(kind: string): void {
    if (this.#kinds.has(kind) || this.#kinds.size >= maxKinds) return;
    this.#kinds.add(kind);
    this.#warn?.(`Left out of the response, because this API cannot return it: ${kind}`);
  }
}

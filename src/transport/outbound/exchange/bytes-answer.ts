import { namedByConnection } from '../../../core/http/headers.ts';
import type { FlowConsumer } from '../../../core/plan.ts';
import { Answer, type AnswerOwner } from './answer.ts';
import { noScan } from '../framing/scanned.ts';

/** Bytes that may wait for somebody to take the answer: stages may look at its head first. */
const waitingLimit = 256 * 1024;

/**
 * An answer that is a file: committed at its first byte, then it flows. Where it ends is the transport's word alone: a
 * promised length that doesn't come, or a chunk that is cut, breaks the connection before `finished` is called.
 */
export class BytesAnswer extends Answer {
  protected readonly holdsLast = false;
  isBegun = false;
  /** Bytes of the promised length that have not come; endless where chunks or the closing tell the end. */
  #missing: number;
  #waiting = 0;
  #isTaken = false;

  constructor(owner: AnswerOwner, now: number) {
    super(owner, now);
    const length = owner.headers['content-length'];
    this.#missing = length === undefined ? Number.POSITIVE_INFINITY : Number(length);
  }

  /** Nobody promised a length: the head may leave before the first byte, which can be long in coming. */
  begin(): void {
    this.isBegun = this.#missing === Number.POSITIVE_INFINITY;
    if (this.isBegun) this.#commit();
  }

  data(chunk: Buffer, now: number): void {
    this.lastAt = now;
    if (this.owner.state !== 'flowing') this.#commit();
    this.#missing -= chunk.length;
    const scanned = { bytes: chunk, events: noScan.events };
    // A client that was told the length takes the last byte for the end, which waits for the record.
    if (this.#missing <= 0) this.tail = scanned;
    else this.give(scanned);
    if (this.#isTaken) return;
    this.#waiting += chunk.length;
    if (this.#waiting > waitingLimit) this.owner.halt();
  }

  finished(): void {
    if (this.owner.state === 'flowing') this.close({ kind: 'whole' });
    else this.owner.complete(noScan.bytes);
  }

  override into(consumer: FlowConsumer): void {
    this.#isTaken = true;
    if (this.#waiting > waitingLimit) this.owner.proceed();
    super.into(consumer);
  }

  #commit(): void {
    this.owner.state = 'flowing';
    this.owner.committed(this);
  }
}

/** May bytes follow this head? */
export const hasBody = (status: number, method: string | undefined): boolean => method !== 'HEAD' && status !== 204 && status !== 304;

type Headers = Readonly<Record<string, string>>;

/** Without those that are about the provider's connection. */
export function ofMessage(headers: Headers): Headers {
  const named = namedByConnection([headers['connection']]);
  return named.size === 0 ? headers : Object.fromEntries(Object.entries(headers).filter(([name]) => !named.has(name)));
}

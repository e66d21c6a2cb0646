import type { GatewayError } from '../../core/error.ts';
import { Answer } from './answer.ts';
import { interrupted, invalid } from './faults.ts';
import { noScan } from './scanned.ts';
import { decompress, endsLikeJson, faultOfWhole, wholeLimit } from './whole.ts';

/** How many times `wholeLimit` an answer may grow to when it has to be held: converted ones hold images. */
const heldTimes = { converted: 64, other: 16 } as const;

/** An answer that is no stream: held until its end, which is its commit point; one that is too large flows (decisions D20). */
export class WholeAnswer extends Answer {
  protected readonly holdsLast = true;
  #chunks: Buffer[] = [];
  #length = 0;

  data(chunk: Buffer, now: number): void {
    if (this.owner.state === 'flowing') this.#flow(chunk, now);
    else this.#collect(chunk, now);
  }

  finished(): void {
    if (this.owner.state === 'flowing') this.#flowEnded();
    else this.#heldEnded();
  }

  #collect(chunk: Buffer, now: number): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length <= wholeLimit) return;
    const { attempt, status, headers, tap } = this.owner;
    // An answer that is converted can't flow: it is read as one text.
    const isConverted = (attempt.lane === 'full' || tap.form === 'text' || attempt.readsWhole === true) && status < 300;
    if (isConverted || status >= 300 || headers['content-encoding'] !== undefined) {
      const limit = wholeLimit * (isConverted ? heldTimes.converted : heldTimes.other);
      if (this.#length > limit) this.owner.faulty(invalid('The answer is too large to be looked at.'));
      return;
    }
    const fault =
      attempt.call?.stream === true
        ? notAStream(headers)
        : beginsLikeJson(this.#chunks)
          ? undefined
          : invalid("The provider's answer is not JSON.");
    if (fault === undefined) this.#commit(now);
    else this.owner.faulty(fault);
  }

  #commit(now: number): void {
    this.owner.state = 'flowing';
    this.lastAt = now;
    for (const bytes of this.#chunks) this.pending.push({ bytes, events: noScan.events });
    this.#chunks = [];
    this.owner.committed(this);
  }

  /** The last piece waits for the end. */
  #flow(chunk: Buffer, now: number): void {
    this.lastAt = now;
    const previous = this.pending.pop();
    if (previous !== undefined) this.give(previous);
    this.pending.push({ bytes: chunk, events: noScan.events });
  }

  #flowEnded(): void {
    const last = this.pending.at(-1)?.bytes ?? noScan.bytes;
    if (endsLikeJson(last)) this.close({ kind: 'whole' });
    else this.close({ kind: 'fault', error: interrupted("The provider's answer broke off in the middle.") });
  }

  #heldEnded(): void {
    const { headers, status } = this.owner;
    const [first] = this.#chunks;
    let body = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks, this.#length);
    try {
      body = this.owner.redacted(decompress(body, headers['content-encoding']));
    } catch (error) {
      this.owner.faulty(error as GatewayError);
      return;
    }
    const fault = status < 300 && status !== 204 ? this.#faultOf(body) : undefined;
    if (fault === undefined) this.owner.complete(body);
    else this.owner.faulty(fault);
  }

  #faultOf(body: Buffer): GatewayError | undefined {
    const { attempt, headers, tap } = this.owner;
    if (tap.form === 'text' || (body.length === 0 && (tap.form === 'bytes' || tap.mayBeEmpty === true))) return undefined;
    const fault = faultOfWhole(body, headers['content-type'] ?? '', tap);
    // Where a stream was asked for, only the provider's own words say more than that this is none.
    return attempt.call?.stream === true && fault?.provider === undefined ? notAStream(headers) : fault;
  }
}

function beginsLikeJson(chunks: readonly Buffer[]): boolean {
  const first = chunks[0]?.toString('latin1', 0, 64).trimStart() ?? '';
  return first.startsWith('{') || first.startsWith('[');
}

function notAStream(headers: Readonly<Record<string, string>>): GatewayError {
  return invalid(`The provider answered "${headers['content-type'] ?? ''}" where a stream was asked for.`);
}

import { traitsOf } from '../../../core/endpoint.ts';
import { fromUnknown, type GatewayError } from '../../../core/error.ts';
import { appendBytes } from '../../../core/memory/byte-pieces.ts';
import { notAStream } from '../../../core/provider/not-a-stream.ts';
import { formatSize } from '../../../core/text/units.ts';
import { codingsOf } from '../../wire/decode.ts';
import { UpstreamBody, type UpstreamBodyOwner } from './upstream-body.ts';
import { streamInterrupted, invalidResponse } from './faults.ts';
import { BodyEnds } from '../framing/body-ends.ts';
import { emptyScan } from '../framing/scanned.ts';
import { bufferedResponseLimit, decompress, endsWithJsonBracket, wholeResponseFault, withoutByteOrderMark } from './buffered-response.ts';

/** Factors of `bufferedResponseLimit` for responses that have to be held. Converted ones can contain images. */
const growth = { converted: 64, other: 16, decompressed: 64 } as const;

/** A response that is not a stream. It is held until its end, which is its commit point; one that is too large flows. */
export class BufferedBody extends UpstreamBody {
  protected readonly withholdsLast = true;
  #chunks: Buffer[] = [];
  #length = 0;
  /** The flowing body ends with a closing bracket or brace so far. */
  #isClosed = false;
  /** Set for a response that flows. */
  #ends: BodyEnds | undefined;

  override get bufferedBytes(): number {
    return this.owner.state === 'flowing' ? 0 : this.#length;
  }

  data(chunk: Buffer, now: number): void {
    if (this.owner.state === 'flowing') this.#flow(chunk, now);
    else this.#collect(chunk, now);
  }

  finished(): void {
    if (this.owner.state === 'flowing') this.#flowEnded();
    else this.#bufferEnded();
  }

  #collect(chunk: Buffer, now: number): void {
    this.lastAt = now;
    appendBytes(this.#chunks, chunk);
    this.#length += chunk.length;
    const { maxResponse } = this.owner;
    if (this.#length > maxResponse) {
      this.owner.rejectResponse(invalidResponse(tooLarge(maxResponse)));
      return;
    }
    if (this.#length <= bufferedResponseLimit) return;
    const { status, headers } = this.owner;
    if (this.#isConverted || status >= 300 || headers['content-encoding'] !== undefined) {
      if (this.#length > this.#bufferLimit) this.owner.rejectResponse(invalidResponse('The response is too large to be inspected.'));
      return;
    }
    if (beginsLikeJson(this.#chunks)) this.#commit(now);
    else this.owner.rejectResponse(invalidResponse("The provider's response is not JSON."));
  }

  /** A response that is converted, or rewritten as a stream, cannot flow: it is parsed as one text. */
  get #isConverted(): boolean {
    const { attempt, status, tap } = this.owner;
    const isParsed = attempt.lane === 'full' || tap.form === 'text' || attempt.readsWhole === true || attempt.call?.stream === true;
    return isParsed && status < 300;
  }

  /** Maximum bytes of a response that has to be held. */
  get #bufferLimit(): number {
    return bufferedResponseLimit * (this.#isConverted ? growth.converted : growth.other);
  }

  #commit(now: number): void {
    this.owner.state = 'flowing';
    this.lastAt = now;
    this.#ends = new BodyEnds(this.#chunks);
    for (const bytes of this.#chunks) this.#hold(bytes);
    this.#chunks = [];
    this.owner.committed(this);
  }

  /** Forwards all but the last piece, which is held until the end. */
  #flow(chunk: Buffer, now: number): void {
    this.lastAt = now;
    this.#length += chunk.length;
    if (this.#length > this.owner.maxResponse) {
      this.close({ kind: 'fault', error: streamInterrupted(tooLarge(this.owner.maxResponse)) });
      return;
    }
    const previous = this.pending.pop();
    if (previous !== undefined) this.deliver(previous);
    this.#ends?.push(chunk);
    this.#hold(chunk);
  }

  #hold(bytes: Buffer): void {
    this.#isClosed = endsWithJsonBracket(bytes, this.#isClosed);
    this.pending.push({ bytes, events: emptyScan.events });
  }

  #flowEnded(): void {
    if (this.#isClosed) {
      this.#ends?.readInto(this.owner.tap);
      this.close({ kind: 'whole' });
    } else this.close({ kind: 'fault', error: streamInterrupted("The provider's response ended early.") });
  }

  #bufferEnded(): void {
    const [first] = this.#chunks;
    const body = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks, this.#length);
    const codings = codingsOf(this.owner.headers['content-encoding']);
    if (codings.length === 0) this.#finishBody(body);
    else void this.#decodeAndFinish(body, codings).catch((thrown: unknown) => this.owner.rejectResponse(fromUnknown(thrown)));
  }

  /** The exchange may be over before decompression ends: its timeouts keep running, and the client may disconnect. */
  async #decodeAndFinish(body: Buffer, codings: readonly string[]): Promise<void> {
    const limit = this.owner.status < 300 ? bufferedResponseLimit * growth.decompressed : this.#bufferLimit;
    const plain = await decompress(body, codings, Math.min(limit, this.owner.maxResponse), (added) => {
      this.#length += added;
      if (!this.owner.recountMemory()) throw streamInterrupted('The client no longer waits for the response.');
    });
    if (this.owner.state === 'whole') this.#finishBody(plain);
  }

  #finishBody(plain: Buffer): void {
    const { status, tap } = this.owner;
    const masked = this.owner.redacted(plain);
    const body = tap.form === undefined || status >= 300 ? withoutByteOrderMark(masked) : masked;
    const fault = status < 300 ? this.#faultOf(body) : undefined;
    if (fault === undefined) this.owner.complete(body);
    else this.owner.rejectResponse(fault);
  }

  #faultOf(body: Buffer): GatewayError | undefined {
    const { attempt, headers, status, tap } = this.owner;
    // The response to a deletion may have no body. The response to work that was requested must have one.
    if (status === 204 || status === 205) return mayHaveNoBody(this.owner) ? undefined : noContent(status);
    if (tap.form === 'text' || (body.length === 0 && (tap.form === 'bytes' || tap.mayBeEmpty === true))) return undefined;
    const type = headers['content-type'] ?? '';
    const fault = wholeResponseFault(status, body, type, tap);
    if (fault === undefined || fault.provider !== undefined || body.length === 0 || attempt.call?.stream !== true) return fault;
    return notAStream(type) ?? fault;
  }
}

/** Routes of objects only confirm an action; audio and text may be empty. */
function mayHaveNoBody({ attempt, tap }: UpstreamBodyOwner): boolean {
  const isObject = attempt.call !== undefined && traitsOf(attempt.call.endpoint).state !== undefined;
  return isObject || tap.form !== undefined || tap.mayBeEmpty === true;
}

const noContent = (status: number): GatewayError => invalidResponse(`The provider returned ${status} without content.`);

const tooLarge = (limit: number): string => `The provider's response is larger than the limit of ${formatSize(limit)} (server.max_answer).`;

function beginsLikeJson(chunks: readonly Buffer[]): boolean {
  const [bytes] = chunks;
  const first = bytes === undefined ? '' : withoutByteOrderMark(bytes).toString('latin1', 0, 64).trimStart();
  return first.startsWith('{') || first.startsWith('[');
}

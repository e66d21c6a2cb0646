import { namedByConnection } from '../../../core/http/headers.ts';
import { UpstreamBody, type UpstreamBodyOwner } from './upstream-body.ts';
import { emptyScan } from '../framing/scanned.ts';

/**
 * A response that is a file: committed at its first byte, then it flows. Only the transport determines its end: if the
 * declared length is not reached or a chunk is cut, the connection fails before `finished` is called.
 */
export class FileBody extends UpstreamBody {
  protected readonly withholdsLast = false;
  isBegun = false;
  /** Bytes of the declared length not received yet; infinite when chunks or the end of the connection delimit the body. */
  #missing: number;

  constructor(owner: UpstreamBodyOwner, now: number) {
    super(owner, now);
    const length = owner.headers['content-length'];
    this.#missing = length === undefined ? Number.POSITIVE_INFINITY : Number(length);
  }

  /** Without a declared length, sends the head before the first byte, which can take long to arrive. */
  begin(): void {
    this.isBegun = this.#missing === Number.POSITIVE_INFINITY;
    if (this.isBegun) this.#commit();
  }

  data(chunk: Buffer, now: number): void {
    this.lastAt = now;
    if (this.owner.state !== 'flowing') this.#commit();
    this.#missing -= chunk.length;
    const scanned = { bytes: chunk, events: emptyScan.events };
    // A client that knows the length takes the last byte for the end, so that byte waits until the record is written.
    if (this.#missing <= 0) this.tail = scanned;
    else this.deliver(scanned);
  }

  finished(): void {
    if (this.owner.state === 'flowing') this.close({ kind: 'whole' });
    else this.owner.complete(emptyScan.bytes);
  }

  #commit(): void {
    this.owner.state = 'flowing';
    this.owner.committed(this);
  }
}

/** True if a body can follow this response head. */
export const canHaveBody = (status: number, method: string | undefined): boolean => method !== 'HEAD' && status !== 204 && status !== 304;

type Headers = Readonly<Record<string, string>>;

/** The headers without those that concern only the provider's connection. */
export function endToEndHeaders(headers: Headers): Headers {
  const named = namedByConnection([headers['connection']]);
  return named.size === 0 ? headers : Object.fromEntries(Object.entries(headers).filter(([name]) => !named.has(name)));
}

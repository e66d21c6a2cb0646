import { booleanIn } from '../../core/text/boolean-word.ts';
import type { RequestBody } from '../../core/json/body.ts';
import { endpoints } from '../../core/endpoint.ts';
import type { KeptBody, Outcome } from '../../core/plan.ts';
import type { UpstreamRequest } from '../../core/provider.ts';
import type { BodyRecord, MessageRecord } from '../../core/records/record.ts';
import type { LogSettings } from '../../core/snapshot.ts';
import { boundedHeaders, shrunk } from './bounds.ts';
import type { RequestContext } from '../request.ts';

const noHeaders: Readonly<Record<string, string>> = Object.freeze({});
const noBody: MessageRecord = Object.freeze({ headers: noHeaders, body: null, why_absent: 'there was none' });
const setting = 'logging.requests.bodies';

/** What the record may keep of this request: what the configuration says, or less where the caller asks for it. */
export function policyOf(ctx: RequestContext): LogSettings['bodies'] {
  const { bodies } = ctx.snapshot.log;
  return bodies === 'full' && isPrivate(ctx) ? 'metadata' : bodies;
}

/** `x-gateway-debug: false` keeps the bodies of one request out of the record. */
function isPrivate(ctx: RequestContext): boolean {
  const debug = ctx.headers.gateway('debug');
  return debug !== undefined && booleanIn(debug) === false;
}

/** Bytes of an answer that the record keeps. */
export const keptOf = ({ bodies, maxBody }: LogSettings): number => (bodies === 'full' ? maxBody : 0);

/** A patch is content like the body that it stands for, and is written as JSON. */
const patchLimits = { members: 256, characters: 8 * 1024, levels: 16 } as const;

/** How an answer was delivered, as far as its body matters. */
export interface Delivered {
  /** The answer's bytes as the provider sent them. */
  readonly kept: KeptBody | undefined;
  /** An answer that no provider gave: an error of ours, a list from the catalog. */
  readonly own: Buffer | undefined;
}

/**
 * The messages of a record by policy: `none` keeps neither headers nor bodies, `metadata` headers without credentials,
 * `full` the bodies too, as far as `max_body` allows.
 */
export class Messages {
  readonly parts: { request: Buffer[]; upstream: Buffer[]; response: Buffer[] } = { request: [], upstream: [], response: [] };
  readonly #keepsHeaders: boolean;
  readonly #keepsBodies: boolean;
  readonly #limit: number;
  readonly #why: string;

  constructor(ctx: RequestContext) {
    const policy = policyOf(ctx);
    this.#keepsHeaders = policy !== 'none';
    this.#keepsBodies = policy === 'full';
    this.#limit = ctx.snapshot.log.maxBody;
    this.#why = policy === ctx.snapshot.log.bodies ? setting : 'the caller sent x-gateway-debug: false';
  }

  request(ctx: RequestContext): MessageRecord {
    const headers = this.#headers(ctx.headers.entries());
    const { received } = ctx;
    if (received.kind !== 'json' && received.kind !== 'none')
      return { headers, body: null, why_absent: 'it was passed through without buffering' };
    if (received.kind === 'none')
      return { headers, body: null, why_absent: endpoints[ctx.endpoint].body === 'none' ? 'there was none' : 'it was not read' };
    return this.#message(headers, received, this.parts.request);
  }

  upstream(ctx: RequestContext, upstream: UpstreamRequest | undefined): MessageRecord {
    if (upstream === undefined || upstream.body.kind === 'none') return noBody;
    if (upstream.body.kind !== 'json') return { headers: noHeaders, body: null, why_absent: 'it was passed through without buffering' };
    const { body } = upstream;
    const origin = body.edited?.root ?? body;
    // What a stored prompt writes into the body can be large: it is kept like any other body.
    if (!this.#keepsBodies || origin !== ctx.received || ctx.facts.prompt !== undefined)
      return this.#message(noHeaders, body, this.parts.upstream);
    const patch = Object.fromEntries([...(body.edited?.patch ?? [])].map(([key, value]) => [key, value ?? null]));
    const kept = shrunk(patch, patchLimits) as Readonly<Record<string, unknown>>;
    return {
      headers: noHeaders,
      body: { size: body.size, kept: 0, sha256: null, same_as: 'request', patch: kept, chunks: null },
      why_absent: null,
    };
  }

  response(last: Outcome | undefined, { kept, own }: Delivered): MessageRecord {
    if (last?.kind !== 'answered') return own === undefined ? noBody : this.#bytes(noHeaders, own, this.parts.response);
    const headers = this.#headers(Object.entries(last.reply.headers));
    if (kept === undefined || !this.#keepsBodies) return this.#bytes(headers, last.reply.body, this.parts.response);
    let bytes = 0;
    for (const piece of kept.pieces) bytes += piece.length;
    this.parts.response.push(...kept.pieces);
    return {
      headers,
      body: { size: kept.size, kept: bytes, sha256: null, same_as: null, patch: null, chunks: kept.times },
      why_absent: null,
    };
  }

  #headers(entries: Iterable<readonly [name: string, value: string]>): Readonly<Record<string, string>> {
    return this.#keepsHeaders ? boundedHeaders(entries) : noHeaders;
  }

  #message(headers: MessageRecord['headers'], body: Extract<RequestBody, { kind: 'json' }>, into: Buffer[]): MessageRecord {
    if (!this.#keepsBodies) return { headers, body: null, why_absent: this.#why };
    return { headers, body: this.#keep(body.start(this.#limit), body.size, into), why_absent: null };
  }

  #bytes(headers: MessageRecord['headers'], bytes: Buffer, into: Buffer[]): MessageRecord {
    if (!this.#keepsBodies) return { headers, body: null, why_absent: this.#why };
    return { headers, body: this.#keep(bytes.subarray(0, this.#limit), bytes.length, into), why_absent: null };
  }

  #keep(kept: Buffer, size: number, into: Buffer[]): BodyRecord {
    into.push(kept);
    return { size, kept: kept.length, sha256: null, same_as: null, patch: null, chunks: null };
  }
}

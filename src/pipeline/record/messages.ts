import type { BodyPart } from '../../core/logs/reader.ts';
import type { JsonBody } from '../../core/json/body.ts';
import { tryParseObject } from '../../core/json/scan.ts';
import { endpoints } from '../../core/endpoint.ts';
import type { KeptBody, Outcome } from '../../core/plan.ts';
import type { UpstreamRequest } from '../../core/provider.ts';
import { type MaskedBody, maskBody, type MaskingJob, sizeOf, type UnmaskedBody } from '../../core/redaction/bodies.ts';
import type { BodyRedactor, ByteSource, Redaction, TooLargeBody } from '../../core/redaction/index.ts';
import type { BodyRecord, LogRecord, MessageRecord } from '../../core/records/record.ts';
import { boundedHeaders, charactersIn, shrinkIfNeeded } from './bounds.ts';
import { maxBytesPerRecord } from './group-commit.ts';
import type { RecordMasker } from './record-masker.ts';
import type { Policy } from './policy.ts';
import type { RequestContext } from '../request.ts';

const lengthName = 'content-length';
/** Cache key for headers that are shown without redaction rules. */
const noRules = Object.freeze({});
const noHeaders: Readonly<Record<string, string>> = Object.freeze({});
const noBody: MessageRecord = Object.freeze({ headers: noHeaders, body: null, why_absent: 'there was none' });
const unsearchable = 'it is larger than logging.requests.redact can search: 128 KB for your own patterns, 10,000 texts of masked fields';
const notInTime = 'it could not be masked in time, because too many large bodies were waiting';

/** A patch is content like the body that it replaces. It is written as JSON. */
const patchLimits = { members: 256, characters: 8 * 1024, levels: 16 } as const;

/** Maximum bytes of a masked patch that are parsed again on the event loop. */
const maxPatchSize = 1024 * 1024;

/** A body whose masking takes too long for the event loop, and the callback for its result. */
interface DeferredBody {
  readonly body: UnmaskedBody;
  /** @param masked undefined if masking failed @returns members of the record */
  done(masked: MaskedBody | TooLargeBody | undefined): Partial<Pick<LogRecord, BodyPart | 'preview'>>;
}

type KeptBytes = Pick<KeptBody, 'pieces' | 'size' | 'times'>;

/** The parts of the delivery of a response that concern its body. */
export interface Delivered {
  /** Bytes of the response as the provider sent them. */
  readonly kept: KeptBody | undefined;
  /** Response body that no provider sent, such as a gateway error or a list from the catalog. */
  readonly gatewayBody: Buffer | undefined;
  readonly end: LogRecord['end'];
}

/** What only the delivery of the response knows about how a request ended. */
export interface Ending extends Delivered {
  readonly status: number;
  readonly error: LogRecord['error'];
  /** Size of a body that was passed through. The size of other bodies is measured here. */
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Monotonic milliseconds since the arrival. */
  readonly totalMs: number;
  readonly firstEventMs: number | null;
  readonly overheadMs: number;
  /** Set for a WebSocket that was opened. */
  readonly socket?: LogRecord['socket'] | undefined;
}

/**
 * The messages of a record, by policy: `none` keeps neither headers nor bodies, `metadata` keeps headers without
 * credentials, `redacted` also keeps masked bodies, and `full` keeps bodies unchanged. `max_body` limits the size of the
 * bodies.
 */
export class Messages {
  readonly parts: { readonly [P in BodyPart]: Buffer[] } = { request: [], upstream: [], response: [] };
  /** The last user message. */
  preview: string | null = null;
  readonly #redaction: Redaction;
  readonly #clean: RecordMasker;
  readonly #keepsHeaders: boolean;
  readonly #keepsBodies: boolean;
  readonly #isRedacted: boolean;
  readonly #limit: number;
  readonly #whyAbsent: string;
  #isDeferred = false;
  /** Large bodies that were compared with earlier ones. */
  #bytesOf: Map<JsonBody, ByteSource> | undefined;
  readonly #deferred: DeferredBody[] = [];

  constructor(ctx: RequestContext, { bodies, because }: Policy, redaction: Redaction, clean: RecordMasker) {
    this.#redaction = redaction;
    this.#clean = clean;
    this.#keepsHeaders = bodies !== 'none';
    this.#keepsBodies = bodies === 'full' || bodies === 'redacted';
    this.#isRedacted = bodies === 'redacted';
    this.#limit = ctx.snapshot.log.maxBody;
    this.#whyAbsent = because;
  }

  /** Decides whether bodies are masked at once. @param mayMask reports whether that many bytes may be masked in this event loop turn */
  decideDeferral(ctx: RequestContext, last: Outcome | undefined, delivered: Delivered, mayMask: (bytes: number) => boolean): void {
    if (!this.#keepsBodies) return;
    // With policy `full`, only the preview (the last user message) is masked.
    const { received } = ctx;
    const bytes = this.#isRedacted ? this.#bytesToMask(ctx, last, delivered) : received.kind === 'json' ? received.size : 0;
    this.#isDeferred = bytes > 0 && !mayMask(bytes);
    if (this.#isDeferred) this.#bytesOf = undefined;
  }

  /** Bytes of all bodies of the record that must be searched. */
  #bytesToMask({ received, facts }: RequestContext, last: Outcome | undefined, { kept, gatewayBody }: Delivered): number {
    let bytes = received.kind === 'json' ? this.#sizeOfNew(received) : 0;
    const sent = last?.attempt.upstream?.body;
    if (sent?.kind === 'json') {
      const isOwn = (sent.edited?.root ?? sent) !== received || facts.prompt !== undefined;
      bytes += isOwn ? this.#sizeOfNew(sent) : charactersIn(sent.edited?.patch);
    }
    if (kept !== undefined) return bytes + Math.min(kept.size, this.#limit);
    return bytes + (last?.kind === 'answered' ? last.reply.body.length : (gatewayBody?.length ?? 0));
  }

  /** Large bodies often repeat earlier ones, of which only the new parts are searched. */
  #sizeOfNew(body: JsonBody): number {
    if (body.size <= maxBytesPerRecord) return body.size;
    const bytes = new BytesOf(body);
    (this.#bytesOf ??= new Map()).set(body, bytes);
    return this.#redaction.sizeOfNew(body.oneByte, bytes, maxBytesPerRecord);
  }

  /** The remaining masking, if any. When done, it writes the bodies of `record` into it and into `parts`. */
  later(record: LogRecord, redactor: BodyRedactor): MaskingJob | undefined {
    if (this.#deferred.length === 0) return undefined;
    const bodies = this.#deferred.map(({ body }) => body);
    return {
      redactor,
      limit: this.#limit,
      bodies,
      size: bodies.reduce((sum, body) => sum + sizeOf(body), 0),
      done: (masked, counts) => {
        this.#redaction.addCounts(counts);
        for (const [i, large] of this.#deferred.entries()) Object.assign(record, large.done(masked?.[i]));
      },
    };
  }

  request(ctx: RequestContext): MessageRecord {
    const headers = this.#headersOf(ctx);
    const { received } = ctx;
    if (received.kind !== 'json' && received.kind !== 'none')
      return { headers, body: null, why_absent: 'it was passed through without buffering' };
    if (received.kind === 'none')
      return {
        headers,
        body: null,
        why_absent: endpoints[ctx.endpoint].body === 'none' ? 'there was none' : 'it was not read completely, or was not valid',
      };
    return this.#message(headers, received, 'request');
  }

  upstream(ctx: RequestContext, upstream: UpstreamRequest | undefined): MessageRecord {
    if (upstream === undefined || upstream.body.kind === 'none') return noBody;
    if (upstream.body.kind !== 'json') return { headers: noHeaders, body: null, why_absent: 'it was passed through without buffering' };
    const { body } = upstream;
    const origin = body.edited?.root ?? body;
    // What a stored prompt adds to the body can be large, so it is kept like any other body.
    if (!this.#keepsBodies || origin !== ctx.received || ctx.facts.prompt !== undefined) return this.#message(noHeaders, body, 'upstream');
    return this.#patched(body);
  }

  /** Describes the upstream body as the client's body plus the changed members. */
  #patched({ edited, size }: JsonBody): MessageRecord {
    const model = edited?.patch.size === 1 ? edited.patch.get('model') : undefined;
    const patch = typeof model === 'string' ? { model } : patchOf(edited);
    const message = (kept: unknown): MessageRecord => ({
      headers: noHeaders,
      body: {
        size,
        kept: 0,
        sha256: null,
        same_as: 'request',
        patch: shrinkIfNeeded(kept, patchLimits) as BodyRecord['patch'],
        chunks: null,
      },
      why_absent: null,
    });
    if (!this.#isRedacted || Object.keys(patch).length === 0) return message(patch);
    // The model is also a text of the record itself, and is masked by the same rule.
    if (typeof model === 'string' && this.#redaction.hasDefaultRules) return message({ model: this.#clean.model(model) });
    if (!this.#isDeferred) return message(this.#redaction.value(patch));
    const text = Buffer.from(JSON.stringify(patch), 'utf8').toString('latin1');
    const done: DeferredBody['done'] = (masked) => {
      if (masked === undefined) return { upstream: { ...noBody, why_absent: notInTime } };
      const isSmall = masked !== 'too-large' && masked.bytes.length <= maxPatchSize;
      return { upstream: message((isSmall ? tryParseObject(masked.bytes.toString('utf8')) : undefined) ?? {}) };
    };
    this.#deferred.push({ body: { kind: 'value', text }, done });
    return noBody;
  }

  response(last: Outcome | undefined, { kept: received, gatewayBody: own, end }: Delivered): MessageRecord {
    if (last?.kind !== 'answered') return own === undefined ? noBody : this.#bytes(noHeaders, own, 'application/json');
    const headers = this.#keepsHeaders ? this.#clean.responseHeaders(last.reply.headers) : noHeaders;
    const type = last.reply.headers['content-type'] ?? '';
    if (received === undefined || !this.#keepsBodies) return this.#bytes(headers, last.reply.body, type);
    const kept = firstBytes(received, this.#limit);
    if (this.#isRedacted) return this.#redacted(headers, kept, type, end !== 'whole');
    let bytes = 0;
    for (const piece of kept.pieces) bytes += piece.length;
    this.parts.response.push(...kept.pieces);
    return { headers, body: bodyRecord(kept.size, bytes, kept.times), why_absent: null };
  }

  /** Requests whose heads differ only in Content-Length share the masked headers in `memo`. */
  #headersOf({ headers: bag, snapshot }: RequestContext): Readonly<Record<string, string>> {
    if (!this.#keepsHeaders) return noHeaders;
    const by = this.#clean.isOff ? noRules : snapshot.log.redactor;
    const length = bag.get(lengthName);
    const { shown } = bag.memo;
    if (shown?.by === by) return shown.headers[lengthName] === length ? shown.headers : { ...shown.headers, [lengthName]: length ?? '' };
    const kept = boundedHeaders(bag.pairs());
    const headers = this.#clean.headers(kept);
    // Do not cache masked headers, because each record counts its redactions.
    if (headers === kept && kept[lengthName] === length) bag.memo.shown = { by, headers: Object.freeze(headers) };
    return headers;
  }

  #message(headers: MessageRecord['headers'], body: JsonBody, part: 'request' | 'upstream'): MessageRecord {
    if (!this.#keepsBodies) return { headers, body: null, why_absent: this.#whyAbsent };
    if (this.#isRedacted) {
      const source = this.#bytesOf?.get(body) ?? body;
      return this.#masked(headers, { kind: part, text: body.oneByte, source }, body.size, part);
    }
    if (part === 'request') this.#preview(body.oneByte);
    const kept = body.start(this.#limit);
    this.parts[part].push(kept);
    return { headers, body: bodyRecord(body.size, kept.length), why_absent: null };
  }

  #preview(text: string): void {
    if (!this.#isDeferred) this.preview = this.#redaction.preview(text);
    else
      this.#deferred.push({
        body: { kind: 'preview', text },
        done: (masked) => ({ preview: typeof masked === 'object' ? masked.preview : null }),
      });
  }

  #bytes(headers: MessageRecord['headers'], bytes: Buffer, type: string): MessageRecord {
    if (!this.#keepsBodies) return { headers, body: null, why_absent: this.#whyAbsent };
    if (this.#isRedacted && bytes.length > 0) return this.#redacted(headers, { pieces: [bytes], size: bytes.length, times: [] }, type);
    const kept = bytes.subarray(0, this.#limit);
    this.parts.response.push(kept);
    return { headers, body: bodyRecord(bytes.length, kept.length), why_absent: null };
  }

  #redacted(headers: MessageRecord['headers'], { pieces, size, times }: KeptBytes, contentType: string, isBroken = false): MessageRecord {
    return this.#masked(headers, { kind: 'response', body: { pieces, size, contentType, isBroken }, times }, size, 'response');
  }

  #masked(headers: MessageRecord['headers'], body: UnmaskedBody, size: number, part: BodyPart): MessageRecord {
    if (!this.#isDeferred) return this.#stored(headers, maskBody(this.#redaction, body), size, part);
    const done: DeferredBody['done'] = (masked) => {
      const edits = typeof masked === 'object' ? masked.edits : undefined;
      if (edits !== undefined && body.kind !== 'response') this.#redaction.remember(body.text, edits);
      const message =
        masked === undefined ? { headers, body: bodyRecord(size, 0), why_absent: notInTime } : this.#stored(headers, masked, size, part);
      return part === 'request' ? { request: message, preview: this.preview } : { [part]: message };
    };
    this.#deferred.push({ body, done });
    return noBody;
  }

  /** The size of a complete body is that of its masked text. A record whose `kept` is below its `size` is truncated. */
  #stored(headers: MessageRecord['headers'], masked: MaskedBody | TooLargeBody, size: number, part: BodyPart): MessageRecord {
    if (masked === 'too-large') return { headers, body: null, why_absent: unsearchable };
    const { bytes, isCut, times, preview } = masked;
    if (part === 'request') this.preview = preview;
    this.parts[part].push(bytes);
    return { headers, body: bodyRecord(isCut ? Math.max(size, bytes.length + 1) : bytes.length, bytes.length, times), why_absent: null };
  }
}

function patchOf(edited: JsonBody['edited']): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...(edited?.patch ?? [])].map(([key, value]) => [key, value ?? null]));
}

/** The bytes of a large body, made once. */
class BytesOf implements ByteSource {
  readonly #body: JsonBody;
  #bytes: Buffer | undefined;

  constructor(body: JsonBody) {
    this.#body = body;
  }

  start(length: number): Buffer {
    this.#bytes ??= this.#body.start(this.#body.size);
    return this.#bytes.subarray(0, length);
  }
}

const bodyRecord = (size: number, kept: number, chunks: readonly number[] | null = null): BodyRecord => ({
  size,
  kept,
  sha256: null,
  same_as: null,
  patch: null,
  chunks,
});

/** The part of a body that the record keeps: a plugin can have kept more of it. */
function firstBytes(kept: KeptBytes, limit: number): KeptBytes {
  let left = limit;
  if (kept.pieces.every(({ length }) => (left -= length) >= 0)) return kept;
  left = limit;
  const pieces = kept.pieces.map((piece) => {
    const first = piece.subarray(0, left);
    left -= first.length;
    return first;
  });
  // Pairs: an offset, and the time after it.
  const times = kept.times.filter((_number, index) => (kept.times[index - (index % 2)] ?? 0) < limit);
  return { pieces: pieces.filter(({ length }) => length > 0), size: kept.size, times };
}

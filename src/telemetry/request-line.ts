import type { JsonBytes } from '../core/json/bytes.ts';
import type { LogRecord, UsageRecord } from '../core/records/record.ts';
import { sameItems } from '../core/records/same-items.ts';
import { attemptFields, requestFields } from './request-fields.ts';

/** Maximum number of cached texts. */
const maxCached = 256;

/** The common parts of log lines for requests of one caller to one target. */
interface CachedParts {
  readonly values: readonly unknown[];
  /** The members from `endpoint` to `attempts`, those from `lane` to `socket`, `client`, and all between if empty. */
  readonly start: Uint8Array;
  readonly rest: Uint8Array;
  readonly client: Uint8Array;
  readonly withoutMetadata: Uint8Array;
  /** The members after the sum of `cost`. */
  readonly prices: Uint8Array;
}

/**
 * Writes the JSON line of a finished request, identical to that of `requestFields`. Most of it repeats between requests and is
 * copied from cached bytes: serializing all of it would cost as much as the record.
 */
export class RequestLines {
  /** The last one of each requested model. */
  readonly #last = new Map<string, CachedParts>();
  /** The line's start up to the seconds of its time; `#second` is that time in Unix milliseconds. */
  #begin: Uint8Array = new Uint8Array();
  #second = Number.NaN;

  /** @param now Unix milliseconds, an integer */
  write(out: JsonBytes, record: LogRecord, now: number): void {
    const second = Math.floor(now / 1000) * 1000;
    out.append(this.#beginOf(second));
    out.digits(now - second, 3);
    out.ascii('Z","msg":"request",');
    if (record.admitted) this.#admitted(out, record);
    else out.json(members(requestFields(record)));
    out.ascii('}\n');
  }

  #admitted(out: JsonBytes, record: LogRecord): void {
    const known = this.#cachedOf(record);
    out.ascii('"id":');
    out.text(record.id);
    out.ascii(',"trace_id":');
    out.text(record.trace.trace_id);
    out.ascii(',"at":');
    out.number(record.at);
    out.ascii(',');
    if (hasPlainStart(record)) out.append(known.start);
    else out.json(startOf(record));
    writeTimes(out, record.ms);
    writeUsage(out, record.usage);
    out.ascii(',"cost":{"usd":');
    out.text(record.cost.usd);
    out.append(known.prices);
    out.ascii('},"finish":[');
    writeTexts(out, record.finish);
    out.ascii('],');
    if (hasPlainRest(record)) out.append(known.rest);
    else out.json(restOf(record));
    if (isEmpty(record.metadata) && isEmpty(record.labels)) out.append(known.withoutMetadata);
    else writeMetadata(out, record, known.client);
    out.ascii(',"bytes":{"in":');
    out.number(record.bytes.in);
    out.ascii(',"out":');
    out.number(record.bytes.out);
    out.ascii('},"end":');
    out.text(record.end);
  }

  #beginOf(second: number): Uint8Array {
    if (second !== this.#second) {
      this.#begin = Buffer.from(`{"level":"info","time":"${new Date(second).toISOString().slice(0, -'000Z'.length)}`);
      this.#second = second;
    }
    return this.#begin;
  }

  #cachedOf(record: LogRecord): CachedParts {
    const values = valuesOf(record);
    const slot = record.model.asked ?? record.path;
    const known = this.#last.get(slot);
    if (known !== undefined && sameItems(known.values, values)) return known;
    if (this.#last.size >= maxCached) this.#last.clear();
    const client = `,"client":${JSON.stringify(record.client)}`;
    const made = {
      values,
      start: Buffer.from(startOf(record)),
      rest: Buffer.from(restOf(record)),
      client: Buffer.from(client),
      withoutMetadata: Buffer.from(`,"metadata":{},"labels":{}${client}`),
      prices: Buffer.from(pricesOf(record)),
    };
    // Only data derived from `values` may be cached.
    if (hasPlainStart(record) && hasPlainRest(record)) this.#last.set(slot, made);
    return made;
  }
}

/** All values that the cached bytes of a plain record depend on. */
function valuesOf(record: LogRecord): unknown[] {
  const { model, client, attempts } = record;
  const attempt = attempts[0];
  return [
    record.endpoint,
    record.method,
    record.path,
    record.stream,
    record.status,
    record.key,
    record.virtual_key,
    record.config,
    record.revision,
    record.target,
    record.provider,
    record.type,
    model.asked,
    model.sent,
    model.answered,
    attempt?.target,
    attempt?.provider,
    attempt?.model,
    attempt?.outcome,
    attempt?.status,
    record.lane,
    record.cache,
    client.ip,
    client.agent,
    record.cost.source,
    record.cost.prices,
  ];
}

/** True for exactly one attempt and no members that differ per request. */
const hasPlainStart = ({ error, prompt, attempts }: LogRecord): boolean => error === null && prompt === null && attempts.length === 1;

const hasPlainRest = ({ dropped, warnings, overruled, notes, socket }: LogRecord): boolean =>
  dropped.length + warnings.length + overruled.length === 0 && socket === null && isEmpty(notes);

function isEmpty(object: object): boolean {
  for (const _ in object) return false;
  return true;
}

/** Serializes the members of an object, without its braces. */
const members = (object: object): string => JSON.stringify(object).slice(1, -1);

function startOf(record: LogRecord): string {
  const { endpoint, method, path, stream, status, error, key, virtual_key, config, prompt, revision } = record;
  const { target, provider, type, model, attempts } = record;
  const caller = { endpoint, method, path, stream, status, error, key, virtual_key, config, prompt, revision };
  return members({ ...caller, target, provider, type, model, attempts: attempts.map(attemptFields) });
}

const pricesOf = ({ cost: { source, prices } }: LogRecord): string => `,${members({ source, prices })}`;

function writeTimes(out: JsonBytes, ms: LogRecord['ms']): void {
  writeNumber(out, ',"ms":{"total":', ms.total);
  writeNumber(out, ',"first_event":', ms.first_event);
  writeNumber(out, ',"overhead":', ms.overhead);
  out.ascii('}');
}

function writeUsage(out: JsonBytes, usage: UsageRecord): void {
  out.ascii(',"usage":');
  if (usage.details !== undefined) {
    out.json(JSON.stringify(usage));
    return;
  }
  writeNumber(out, '{"prompt":', usage.prompt);
  writeNumber(out, ',"completion":', usage.completion);
  writeNumber(out, ',"cached":', usage.cached);
  writeNumber(out, ',"cache_write":', usage.cache_write);
  writeNumber(out, ',"reasoning":', usage.reasoning);
  writeNumber(out, ',"audio_in":', usage.audio_in);
  writeNumber(out, ',"audio_out":', usage.audio_out);
  out.ascii(',"source":');
  out.text(usage.source);
  out.ascii('}');
}

function writeNumber(out: JsonBytes, before: string, value: number | null): void {
  out.ascii(before);
  out.number(value);
}

function writeTexts(out: JsonBytes, texts: readonly string[]): void {
  for (let i = 0; i < texts.length; i += 1) {
    if (i > 0) out.ascii(',');
    out.text(texts[i] as string);
  }
}

/** Metadata differs between requests, and many have some, so it is not cached. @param client the member after it */
function writeMetadata(out: JsonBytes, { metadata, labels }: LogRecord, client: Uint8Array): void {
  let before = ',"metadata":{';
  for (const name in metadata) {
    out.ascii(before);
    out.text(name);
    out.ascii(':');
    out.text(metadata[name] as string);
    before = ',';
  }
  out.ascii(before === ',' ? '},"labels":' : `${before}},"labels":`);
  out.json(isEmpty(labels) ? '{}' : JSON.stringify(labels));
  out.append(client);
}

function restOf(record: LogRecord): string {
  const { lane, dropped, warnings, overruled, cache, notes, socket } = record;
  return members({ lane, dropped, warnings, overruled, cache, notes, socket });
}

import type { LogRecord } from '../core/records/record.ts';
import { attemptFields, requestFields } from './request-fields.ts';

/** Texts that are kept. */
const mostKept = 256;

/** What requests of one caller to one target have in common, as it stands in their lines. */
interface Known {
  readonly values: readonly unknown[];
  /** The members from `endpoint` to `attempts`, and those from `lane` to `client`. */
  readonly start: string;
  readonly rest: string;
}

/**
 * The JSON line of a finished request: that of `requestFields`, byte for byte. Most of it is the same from request to
 * request, and is written from remembered texts: to write all of it anew would cost as much as the record.
 */
export class RequestLines {
  /** By the model that was asked for: the last of each. */
  readonly #last = new Map<string, Known>();
  #time = '';
  #timeAt = Number.NaN;

  /** @param now Unix milliseconds */
  of(record: LogRecord, now: number): string {
    const begin = `{"level":"info","time":"${this.#timeOf(now)}","msg":"request",`;
    if (!record.admitted) return `${begin}${members(requestFields(record))}}\n`;
    const known = this.#knownOf(record);
    const start = hasPlainStart(record) ? known.start : startOf(record);
    const rest = hasPlainRest(record) ? known.rest : restOf(record);
    const own = `"id":${JSON.stringify(record.id)},"trace_id":${JSON.stringify(record.trace.trace_id)},"at":${record.at}`;
    return `${begin}${own},${start},${middleOf(record)},${rest},"bytes":${JSON.stringify(record.bytes)},"end":"${record.end}"}\n`;
  }

  #timeOf(now: number): string {
    if (now !== this.#timeAt) {
      this.#time = new Date(now).toISOString();
      this.#timeAt = now;
    }
    return this.#time;
  }

  #knownOf(record: LogRecord): Known {
    const values = valuesOf(record);
    const slot = record.model.asked ?? record.path;
    const known = this.#last.get(slot);
    if (known !== undefined && isSame(known.values, values)) return known;
    if (this.#last.size >= mostKept) this.#last.clear();
    const made = { values, start: startOf(record), rest: restOf(record) };
    // Whatever is not in `values` must not be remembered.
    if (hasPlainStart(record) && hasPlainRest(record)) this.#last.set(slot, made);
    return made;
  }
}

/** All that `start` and `rest` of a plain record are made of. */
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
  ];
}

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  for (let i = 0; i < one.length; i += 1) if (one[i] !== other[i]) return false;
  return true;
}

/** One attempt, and nothing that is written for one request alone. */
const hasPlainStart = ({ error, prompt, attempts }: LogRecord): boolean => error === null && prompt === null && attempts.length === 1;

const hasPlainRest = ({ dropped, warnings, overruled, notes, socket, metadata, labels }: LogRecord): boolean =>
  dropped.length + warnings.length + overruled.length === 0 && socket === null && isEmpty(notes) && isEmpty(metadata) && isEmpty(labels);

function isEmpty(object: object): boolean {
  for (const _ in object) return false;
  return true;
}

/** The members of an object, without its braces. */
const members = (object: object): string => JSON.stringify(object).slice(1, -1);

function startOf(record: LogRecord): string {
  const { endpoint, method, path, stream, status, error, key, virtual_key, config, prompt, revision } = record;
  const { target, provider, type, model, attempts } = record;
  const caller = { endpoint, method, path, stream, status, error, key, virtual_key, config, prompt, revision };
  return members({ ...caller, target, provider, type, model, attempts: attempts.map(attemptFields) });
}

function middleOf({ ms, usage, cost, finish }: LogRecord): string {
  return members({ ms, usage, cost, finish });
}

function restOf(record: LogRecord): string {
  const { lane, dropped, warnings, overruled, cache, notes, socket, metadata, labels, client } = record;
  return members({ lane, dropped, warnings, overruled, cache, notes, socket, metadata, labels, client });
}

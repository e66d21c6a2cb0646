import { JsonBytes } from '../core/json/bytes.ts';
import { emptyRecord } from '../core/records/empty.ts';
import { HeaderSpans } from '../core/records/header-spans.ts';
import type { AttemptRecord, BodyRecord, LogRecord, MessageRecord, PluginRecord } from '../core/records/record.ts';
import { sameItems } from '../core/records/same-items.ts';

/**
 * The short form of a line: arrays in a fixed order instead of named members. It has half the size of the long form,
 * which saves work when a line is made, masked, written and read. `expand.ts` reads it.
 *
 * `kind`: what most requests of one caller to one target have in common. `own`: the values of this request. `more`:
 * members that are nearly always empty, by name. They are followed by the messages, which are not read for rows, and
 * `ms`, the time of each plugin.
 */

/** Bytes of a block that lines are written into. */
const blockSize = 64 * 1024;

/** Writes lines, and caches what many have in common: the last `kind` per requested model, and headers. */
export class LineWriter {
  readonly out: JsonBytes;
  /** Headers of clients, and headers of providers. */
  readonly clientHeaders = new HeaderSpans();
  readonly providerHeaders = new HeaderSpans();
  readonly #cachedKinds = new Map<string, CachedKind>();

  /** @param size bytes of the block that lines are written into */
  constructor(size = blockSize) {
    this.out = new JsonBytes(size);
  }

  kind(record: LogRecord): void {
    const { plugins } = record;
    const values = sharedFieldsOf(record);
    const slot = record.model.asked ?? record.path;
    const known = this.#cachedKinds.get(slot);
    if (known !== undefined && sameItems(known.values, values) && areSame(known.plugins, plugins)) {
      this.out.append(known.json);
      return;
    }
    if (this.#cachedKinds.size >= maxCachedKinds) this.#cachedKinds.clear();
    const json = Buffer.from(JSON.stringify([...values, ...plugins.flatMap(({ name, moment }) => [name, moment])]));
    this.#cachedKinds.set(slot, { values, plugins, json });
    this.out.append(json);
  }

  /** Most previews are truncated. */
  preview(preview: string | null): void {
    if (preview?.endsWith('…') === true) this.out.cutText(preview);
    else this.out.text(preview);
  }
}

interface CachedKind {
  readonly values: SharedFields;
  readonly plugins: readonly PluginRecord[];
  readonly json: Uint8Array;
}

const maxCachedKinds = 256;

function areSame(one: readonly PluginRecord[], other: readonly PluginRecord[]): boolean {
  if (one.length !== other.length) return false;
  for (let i = 0; i < one.length; i += 1) if (one[i]?.name !== other[i]?.name || one[i]?.moment !== other[i]?.moment) return false;
  return true;
}

/** Writes the record of an admitted request, without its closing brace. */
export function writeCompact(record: LogRecord, lines: LineWriter): void {
  const { out } = lines;
  out.ascii('{"v":2,"kind":');
  lines.kind(record);
  out.ascii(',"own":[');
  writeRequestFields(record, out);
  out.ascii('],"preview":');
  lines.preview(record.preview);
  const more = rareMembersOf(record);
  if (more !== undefined) {
    out.ascii(',"more":');
    out.json(JSON.stringify(more));
  }
  out.ascii(',"messages":[');
  writeMessage(record.request, out, lines.clientHeaders, record.client.agent);
  out.character(comma);
  writeMessage(record.upstream, out, lines.providerHeaders, null);
  out.character(comma);
  writeMessage(record.response, out, lines.providerHeaders, record.provider);
  out.ascii('],"ms":[');
  writeTimes(record.plugins, out);
  out.ascii(']');
}

const comma = 0x2c;

/** The single attempt that most requests have, if `kind` and `own` can represent it. */
function onlyAttempt({ attempts }: LogRecord): AttemptRecord | undefined {
  const first = attempts.length === 1 ? attempts[0] : undefined;
  return first?.n === 0 && first.reason === null && first.retry_after_ms === null ? first : undefined;
}

export type SharedFields = ReturnType<typeof sharedFieldsOf>;

export type RequestFields = readonly [
  id: string,
  trace: string,
  at: number,
  random: number,
  total: number,
  firstEvent: number | null,
  overhead: number,
  prompt: number,
  completion: number,
  cached: number,
  cacheWrite: number,
  reasoning: number,
  audioIn: number,
  audioOut: number,
  usd: string | null,
  finish: string | null,
  responseId: string | null,
  bytesIn: number,
  bytesOut: number,
  attemptAt: number | null,
  connectMs: number | null,
  firstByteMs: number | null,
  attemptMs: number | null,
  upstreamId: string | null,
];

// oxlint-disable-next-line typescript/explicit-function-return-type -- the type is the order of its members
function sharedFieldsOf(record: LogRecord) {
  const { model, client, cost, usage } = record;
  const attempt = onlyAttempt(record);
  return [
    record.endpoint,
    record.method,
    record.path,
    record.stream,
    record.status,
    record.end,
    record.key,
    record.key_id,
    record.virtual_key,
    record.config,
    record.revision,
    record.target,
    record.provider,
    record.type,
    model.asked,
    model.sent,
    model.answered,
    record.foundation_model,
    record.lane,
    record.strict,
    record.cache,
    record.bodies,
    client.ip,
    client.agent,
    usage.source,
    cost.source,
    cost.prices,
    attempt?.target ?? null,
    attempt?.provider ?? null,
    attempt?.model ?? null,
    attempt?.outcome ?? null,
    attempt?.status ?? null,
  ] as const;
}

/** Writes the values in the order of `RequestFields`. */
function writeRequestFields(record: LogRecord, out: JsonBytes): void {
  const { ms, usage, bytes, finish } = record;
  out.text(record.id);
  out.character(comma);
  out.text(record.trace.trace_id);
  writeNumber(record.at, out);
  out.character(comma);
  out.ratio(record.random);
  writeNumber(ms.total, out);
  writeNumber(ms.first_event, out);
  writeNumber(ms.overhead, out);
  writeNumber(usage.prompt, out);
  writeNumber(usage.completion, out);
  writeNumber(usage.cached, out);
  writeNumber(usage.cache_write, out);
  writeNumber(usage.reasoning, out);
  writeNumber(usage.audio_in, out);
  writeNumber(usage.audio_out, out);
  writeText(record.cost.usd, out);
  writeText(finish.length === 1 ? (finish[0] ?? null) : null, out);
  writeText(record.response_id, out);
  writeNumber(bytes.in, out);
  writeNumber(bytes.out, out);
  const attempt = onlyAttempt(record);
  if (attempt === undefined) out.ascii(',null,null,null,null,null');
  else writeAttempt(attempt, out);
}

function writeAttempt(attempt: AttemptRecord, out: JsonBytes): void {
  writeNumber(attempt.at, out);
  writeNumber(attempt.connect_ms, out);
  writeNumber(attempt.first_byte_ms, out);
  writeNumber(attempt.total_ms, out);
  writeText(attempt.upstream_id, out);
}

function writeNumber(value: number | null, out: JsonBytes): void {
  out.character(comma);
  out.number(value);
}

function writeText(value: string | null, out: JsonBytes): void {
  out.character(comma);
  out.text(value);
}

/** Members whose value is usually empty. */
const rareMembers = [
  'error',
  'prompt',
  'guardrails',
  'notes',
  'metadata',
  'labels',
  'socket',
  'dropped',
  'warnings',
  'overruled',
  'route',
  'redactions',
] as const satisfies readonly (keyof LogRecord)[];

function rareMembersOf(record: LogRecord): Record<string, unknown> | undefined {
  if (!hasRareMembers(record)) return undefined;
  let more: Record<string, unknown> | undefined;
  for (const name of rareMembers) {
    const value = record[name];
    if (value !== emptyRecord[name] && !isEmpty(value)) (more ??= {})[name] = value;
  }
  const { trace, attempts, finish, usage } = record;
  if (trace.span_id !== null || trace.parent !== null || trace.span_name !== null || trace.traceparent !== null)
    (more ??= {})['trace'] = trace;
  if (attempts.length > 0 && onlyAttempt(record) === undefined) (more ??= {})['attempts'] = attempts;
  if (finish.length > 1) (more ??= {})['finish'] = finish;
  if (usage.details !== undefined) (more ??= {})['details'] = usage.details;
  return more;
}

/** A fast check that is false for most records. It accesses no members by computed name. */
function hasRareMembers(record: LogRecord): boolean {
  const { trace, attempts, usage } = record;
  if (record.error !== null || record.prompt !== null || record.socket !== null || usage.details !== undefined) return true;
  if (trace.span_id !== null || trace.parent !== null || trace.span_name !== null || trace.traceparent !== null) return true;
  if (record.finish.length > 1 || (attempts.length > 0 && onlyAttempt(record) === undefined)) return true;
  if (hasAny(record.guardrails) || hasAny(record.dropped) || hasAny(record.warnings) || hasAny(record.overruled)) return true;
  return (
    hasAny(record.route) || !isBlank(record.notes) || !isBlank(record.metadata) || !isBlank(record.labels) || !isBlank(record.redactions)
  );
}

const hasAny = (list: readonly unknown[]): boolean => list.length > 0;

function isBlank(members: object): boolean {
  for (const _ in members) return false;
  return true;
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === null;
  if (Array.isArray(value)) return value.length === 0;
  for (const _ in value) return false;
  return true;
}

/**
 * Writes headers and the reason for a missing body; then size and kept bytes; then the values of a patch or a stream; or
 * the whole body. The length of the list distinguishes these forms.
 */
function writeMessage(message: MessageRecord, out: JsonBytes, cache: HeaderSpans, sender: string | null): void {
  const { headers, body, why_absent: why } = message;
  out.ascii('[');
  cache.write(out, sender ?? '', headers);
  writeText(why, out);
  if (body === null) {
    out.ascii(']');
    return;
  }
  if (body.sha256 === null) writeBody(body, out);
  else {
    out.character(comma);
    out.json(JSON.stringify(body));
  }
  out.ascii(']');
}

function writeBody({ size, kept, same_as: same, patch, chunks }: BodyRecord, out: JsonBytes): void {
  writeNumber(size, out);
  writeNumber(kept, out);
  if (same === null && patch === null && chunks === null) return;
  writeText(same, out);
  out.character(comma);
  out.json(JSON.stringify(patch));
  out.character(comma);
  if (chunks === null) out.ascii('null');
  else writeList(chunks, out);
}

function writeList(numbers: readonly number[], out: JsonBytes): void {
  out.ascii('[');
  for (let i = 0; i < numbers.length; i += 1) {
    if (i > 0) out.character(comma);
    out.number(numbers[i] as number);
  }
  out.ascii(']');
}

function writeTimes(plugins: readonly PluginRecord[], out: JsonBytes): void {
  for (let i = 0; i < plugins.length; i += 1) {
    if (i > 0) out.character(comma);
    out.number((plugins[i] as PluginRecord).ms);
  }
}

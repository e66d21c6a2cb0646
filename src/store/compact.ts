import { emptyRecord } from '../core/records/empty.ts';
import type { AttemptRecord, LogRecord, MessageRecord, PluginRecord } from '../core/records/record.ts';

/**
 * The short form of a line: lists in an agreed order in place of named members. It is half of the long one, and every
 * byte is made, masked, written and read. `expand.ts` reads it.
 *
 * `kind`: what most requests of one caller to one target have in common. `own`: what each has for itself. `more`: members
 * that are nearly always empty, by name. Behind them are the messages, which are not read for rows, and `ms`, the time of
 * each plugin.
 */

/** Texts of `kind` as JSON, by the model that was asked for: the last of each. */
export class Kinds {
  readonly #last = new Map<string, Known>();
  readonly #bytes = Buffer.allocUnsafeSlow(longestPreview * 3);

  of(record: LogRecord): string {
    const { plugins } = record;
    const values = kindOf(record);
    const slot = record.model.asked ?? record.path;
    const known = this.#last.get(slot);
    if (known !== undefined && isSame(known.values, values) && areSame(known.plugins, plugins)) return known.json;
    if (this.#last.size >= mostKinds) this.#last.clear();
    const json = JSON.stringify([...values, ...plugins.flatMap(({ name, moment }) => [name, moment])]);
    this.#last.set(slot, { values, plugins, json });
    return json;
  }

  /**
   * Most previews are cut: that one character would make the whole line one of two bytes a character, and twice as dear. What
   * stands before it is made anew: a piece of such a text is one of two bytes a character, whatever it holds.
   */
  preview(preview: string | null): string {
    if (preview === null || !preview.endsWith(cut)) return JSON.stringify(preview);
    const bytes = preview.length > longestPreview ? 0 : this.#bytes.write(preview, 'utf8');
    const isAscii = bytes === preview.length + cutBytes - 1;
    const text = isAscii ? this.#bytes.toString('latin1', 0, bytes - cutBytes) : preview.slice(0, -1);
    return String.raw`${JSON.stringify(text).slice(0, -1)}\u2026"`;
  }
}

const cut = '…';
const cutBytes = 3;
/** Characters of one that is made anew; those of requests are shorter. */
const longestPreview = 256;

interface Known {
  readonly values: Kind;
  readonly plugins: readonly PluginRecord[];
  readonly json: string;
}

const mostKinds = 256;

function isSame(one: Kind, other: Kind): boolean {
  for (let i = 0; i < one.length; i += 1) if (one[i] !== other[i]) return false;
  return true;
}

function areSame(one: readonly PluginRecord[], other: readonly PluginRecord[]): boolean {
  if (one.length !== other.length) return false;
  for (let i = 0; i < one.length; i += 1) if (one[i]?.name !== other[i]?.name || one[i]?.moment !== other[i]?.moment) return false;
  return true;
}

/** A record of a request that was let in, without its closing brace. */
export function compactLine(record: LogRecord, kinds: Kinds): string {
  const { request, upstream, response } = record;
  const messages = JSON.stringify([messageOf(request), messageOf(upstream), messageOf(response)]);
  const more = moreOf(record);
  const rare = more === undefined ? '' : `,"more":${JSON.stringify(more)}`;
  const own = `"own":${JSON.stringify(ownOf(record))},"preview":${kinds.preview(record.preview)}${rare}`;
  return `{"v":2,"kind":${kinds.of(record)},${own},"messages":${messages},"ms":${timesJson(record.plugins)}`;
}

/** The one attempt that most requests have, as far as `kind` and `own` can say it. */
export function onlyAttempt({ attempts }: LogRecord): AttemptRecord | undefined {
  const first = attempts.length === 1 ? attempts[0] : undefined;
  return first?.n === 0 && first.reason === null && first.retry_after_ms === null ? first : undefined;
}

export type Kind = ReturnType<typeof kindOf>;
export type Own = ReturnType<typeof ownOf>;

// oxlint-disable-next-line typescript/explicit-function-return-type -- the type is the order of its members
function kindOf(record: LogRecord) {
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

// oxlint-disable-next-line typescript/explicit-function-return-type -- the same
function ownOf(record: LogRecord) {
  const { ms, usage, bytes, finish } = record;
  const attempt = onlyAttempt(record);
  return [
    record.id,
    record.trace.trace_id,
    record.at,
    record.random,
    ms.total,
    ms.first_event,
    ms.overhead,
    usage.prompt,
    usage.completion,
    usage.cached,
    usage.cache_write,
    usage.reasoning,
    usage.audio_in,
    usage.audio_out,
    record.cost.usd,
    finish.length === 1 ? (finish[0] ?? null) : null,
    record.response_id,
    bytes.in,
    bytes.out,
    attempt?.at ?? null,
    attempt?.connect_ms ?? null,
    attempt?.first_byte_ms ?? null,
    attempt?.total_ms ?? null,
    attempt?.upstream_id ?? null,
  ] as const;
}

/** Members whose value is mostly the empty one. */
const rare = [
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

function moreOf(record: LogRecord): Record<string, unknown> | undefined {
  if (!hasMore(record)) return undefined;
  let more: Record<string, unknown> | undefined;
  for (const name of rare) {
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

/** False for most records, which are asked without looking for members by name. */
function hasMore(record: LogRecord): boolean {
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

/** Headers and why there is no body; size and kept bytes; what a patch or a stream has; all of the body. Told apart by their length. */
function messageOf({ headers, body, why_absent: why }: MessageRecord): unknown[] {
  if (body === null) return [headers, why];
  if (body.sha256 !== null) return [headers, why, body];
  if (body.same_as === null && body.patch === null && body.chunks === null) return [headers, why, body.size, body.kept];
  return [headers, why, body.size, body.kept, body.same_as, body.patch, body.chunks];
}

function timesJson(plugins: readonly PluginRecord[]): string {
  let out = '';
  for (const { ms } of plugins) out += out === '' ? `${ms}` : `,${ms}`;
  return `[${out}]`;
}

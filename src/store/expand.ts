import { emptyRecord } from '../core/records/empty.ts';
import { isJsonObject } from '../core/json/merge.ts';
import type { BodyRecord, LogRecord, MessageRecord, PluginRecord } from '../core/records/record.ts';
import type { SharedFields, RequestFields } from './compact.ts';

type CompactLine = Readonly<Record<string, unknown>>;

/** Number of members of `kind` before the names of plugins, and of `own`. */
const sharedFieldCount = 32 satisfies SharedFields['length'];
const requestFieldCount = 24 satisfies RequestFields['length'];

/** Converts a line in short form (`compact.ts`) to a record; undefined if it is not one. Without messages, the record has none. */
export function expandLine(line: CompactLine): LogRecord | undefined {
  const { kind, own, more, messages } = line;
  if (!Array.isArray(kind) || kind.length < sharedFieldCount || !Array.isArray(own) || own.length < requestFieldCount) return undefined;
  const facts = recordWithoutMessages(kind as unknown as SharedFields, own as unknown as RequestFields, line);
  const rest = isJsonObject(more) ? withRareMembers(facts, more) : facts;
  return (messages === undefined ? rest : { ...rest, ...messagesOf(messages), plugins: pluginsOf(kind, line['ms']) }) as LogRecord;
}

type RecordWithoutMessages = Omit<LogRecord, 'request' | 'upstream' | 'response' | 'plugins'>;

function recordWithoutMessages(kind: SharedFields, own: RequestFields, { preview }: CompactLine): RecordWithoutMessages {
  const { error, prompt, guardrails, notes, metadata, labels, socket, dropped, warnings, overruled, route, redactions } = emptyRecord;
  return {
    v: 1,
    id: own[0],
    trace: { trace_id: own[1], span_id: null, parent: null, span_name: null, traceparent: null },
    at: own[2],
    endpoint: kind[0],
    method: kind[1],
    path: kind[2],
    stream: kind[3],
    status: kind[4],
    error,
    admitted: true,
    key: kind[6],
    key_id: kind[7],
    virtual_key: kind[8],
    config: kind[9],
    prompt,
    revision: kind[10],
    target: kind[11],
    provider: kind[12],
    type: kind[13],
    model: { asked: kind[14], sent: kind[15], answered: kind[16] },
    foundation_model: kind[17],
    attempts: attemptsOf(kind, own),
    ms: { total: own[4], first_event: own[5], overhead: own[6] },
    usage: usageOf(kind, own),
    cost: { usd: own[14], source: kind[25], prices: kind[26] },
    finish: own[15] === null ? [] : [own[15]],
    response_id: own[16],
    lane: kind[18],
    strict: kind[19],
    cache: kind[20],
    guardrails,
    notes,
    metadata,
    labels,
    client: { ip: kind[22], agent: kind[23] },
    bytes: { in: own[17], out: own[18] },
    socket,
    end: kind[5],
    preview: (preview ?? null) as string | null,
    dropped,
    warnings,
    overruled,
    random: own[3],
    route,
    bodies: kind[21],
    redactions,
  };
}

function attemptsOf(kind: SharedFields, own: RequestFields): LogRecord['attempts'] {
  const [, , , , , , , , , , , , , , , , , , , at, connect, firstByte, total, upstreamId] = own;
  const [target, provider, model, outcome, status] = [kind[27], kind[28], kind[29], kind[30], kind[31]];
  if (target === null || provider === null || model === null || outcome === null || at === null || total === null) return [];
  const times = { at, connect_ms: connect, first_byte_ms: firstByte, total_ms: total };
  return [{ n: 0, target, provider, model, ...times, outcome, status, upstream_id: upstreamId, reason: null, retry_after_ms: null }];
}

const usageOf = (kind: SharedFields, own: RequestFields): LogRecord['usage'] => ({
  prompt: own[7],
  completion: own[8],
  cached: own[9],
  cache_write: own[10],
  reasoning: own[11],
  audio_in: own[12],
  audio_out: own[13],
  source: kind[24],
});

/** Adds members by name. `details` belongs to the usage. */
function withRareMembers(facts: RecordWithoutMessages, { details, ...named }: CompactLine): RecordWithoutMessages {
  const usage = isJsonObject(details) ? { ...facts.usage, details } : facts.usage;
  return { ...facts, usage, ...named };
}

function messagesOf(messages: unknown): Pick<LogRecord, 'request' | 'upstream' | 'response'> {
  const [request, upstream, response] = Array.isArray(messages) ? (messages as unknown[]) : [];
  return { request: messageOf(request), upstream: messageOf(upstream), response: messageOf(response) };
}

function messageOf(written: unknown): MessageRecord {
  if (!Array.isArray(written)) return emptyRecord.request;
  const [headers, why, size] = written as [MessageRecord['headers'], string | null, number | BodyRecord];
  return { headers, body: typeof size === 'number' ? bodyOf(written, size) : (size ?? null), why_absent: why };
}

function bodyOf(written: readonly unknown[], size: number): BodyRecord {
  const [kept, same = null, patch = null, chunks = null] = written.slice(3) as [
    number,
    BodyRecord['same_as']?,
    BodyRecord['patch']?,
    BodyRecord['chunks']?,
  ];
  return { size, kept, sha256: null, same_as: same, patch, chunks };
}

function pluginsOf(kind: readonly unknown[], times: unknown): PluginRecord[] {
  const plugins: PluginRecord[] = [];
  for (let at = sharedFieldCount; at + 1 < kind.length; at += 2) {
    const ms: unknown = Array.isArray(times) ? times[plugins.length] : 0;
    plugins.push({ name: String(kind[at]), moment: String(kind[at + 1]), ms: typeof ms === 'number' ? ms : 0 });
  }
  return plugins;
}

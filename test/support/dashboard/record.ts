import type { LogRow } from '../../../src/core/logs/row.ts';
import type { LogRecord } from '../../../src/core/records/record.ts';

const encoder = new TextEncoder();

export interface Fixture {
  readonly record: LogRecord;
  readonly bodies: Readonly<Record<'request' | 'upstream' | 'response', Uint8Array>>;
}

/** Creates the record of a row, with bodies of a streamed chat. */
export function recordOf(row: LogRow): Fixture {
  const request = { model: 'support', temperature: 0.9, stream: true, messages: [{ role: 'user', content: row.preview ?? '' }] };
  const upstream = { ...request, model: row.model, temperature: 0.2, labels: { team: 'support' } };
  const responseWords = 'To reset the password, open **Settings**, choose the customer and press Reset. They get an e-mail.'.split(
    /(?<= )/,
  );
  const chunk = (delta: object, finish: string | null = null): string =>
    `data: ${JSON.stringify({ id: row.upstream_id, object: 'chat.completion.chunk', model: row.model, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const events = [
    chunk({ role: 'assistant', content: '' }),
    chunk({ reasoning_content: 'The user wants steps. Keep it short.' }),
    ...responseWords.map((content) => chunk({ content })),
    chunk({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'find_customer', arguments: '{"name":' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '"Ada"}' } }] }),
    chunk({}, 'stop'),
    `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: row.tokens_in, completion_tokens: row.tokens_out } })}\n\n`,
    'data: [DONE]\n\n',
  ];
  const first = row.ttft ?? 200;
  const chunks: number[] = [];
  let offset = 0;
  events.forEach((event, i) => {
    chunks.push(offset, Math.round(first + (i * (row.latency - first)) / events.length));
    offset += encoder.encode(event).length;
  });
  const bodies = {
    request: encoder.encode(JSON.stringify(request)),
    upstream: encoder.encode(JSON.stringify(upstream)),
    response: encoder.encode(row.error === null ? events.join('') : JSON.stringify({ error: { message: row.message, code: row.error } })),
  };
  const bodyInfo = (bytes: Uint8Array) => ({
    size: bytes.length,
    kept: bytes.length,
    sha256: null,
    same_as: null,
    patch: null,
    chunks: null,
  });
  const failed = row.hops.map((hop, i) => ({
    n: i,
    target: `configs.support.targets[${i}]`,
    provider: hop.provider,
    model: hop.model,
    at: 4,
    connect_ms: 31,
    first_byte_ms: 306,
    total_ms: 311,
    outcome: Number(hop.said) > 0 ? 'answered' : hop.said,
    status: Number(hop.said) || null,
    upstream_id: null,
    reason: '"Rate limit reached", retry-after 20 s is too long',
    retry_after_ms: 20_000,
  }));
  const from = failed.length === 0 ? 4 : 316;
  const record: LogRecord = {
    v: 1,
    id: row.id,
    trace: { trace_id: row.trace, span_id: row.span, parent: row.parent, span_name: row.span_name, traceparent: null },
    at: row.at,
    endpoint: row.endpoint,
    method: 'POST',
    path: `/v1/${row.endpoint}`,
    stream: row.stream,
    status: row.status,
    error: row.error === null ? null : { code: row.error, source: 'provider', message: row.message ?? '' },
    admitted: true,
    key: row.key,
    key_id: '9f2c77aa',
    virtual_key: null,
    config: row.config,
    prompt: null,
    revision: row.revision,
    target: `configs.support.targets[${failed.length}]`,
    provider: row.provider,
    type: 'openai',
    model: { asked: 'support', sent: row.model, answered: row.model },
    foundation_model: row.model,
    attempts: [
      ...failed,
      {
        n: failed.length,
        target: `configs.support.targets[${failed.length}]`,
        provider: row.provider ?? '',
        model: row.model ?? '',
        at: from,
        connect_ms: 24,
        first_byte_ms: Math.max(30, Math.min(first, row.latency) - from),
        total_ms: Math.max(1, row.latency - from),
        outcome: 'answered',
        status: row.status,
        upstream_id: row.upstream_id,
        reason: null,
        retry_after_ms: null,
      },
    ],
    plugins: [
      { name: 'auth', moment: 'admit', ms: 0.1 },
      { name: 'limits', moment: 'admit', ms: 0.1 },
      { name: 'routing', moment: 'plan', ms: 0.2 },
      { name: 'transform', moment: 'prepare', ms: 0.3 },
    ],
    ms: { total: row.latency, first_event: row.ttft, overhead: row.overhead },
    usage: {
      prompt: row.tokens_in,
      completion: row.tokens_out,
      cached: row.tokens_cached,
      cache_write: 0,
      reasoning: row.tokens_reasoning,
      audio_in: 0,
      audio_out: 0,
      source: 'reported',
    },
    cost: { usd: row.cost, source: 'genai-prices 0.1.8', prices: { input: '0.15', output: '0.60', image: '0.04' } },
    finish: row.finish === null ? [] : [row.finish],
    response_id: null,
    lane: 'express',
    strict: true,
    dropped: [{ param: 'logit_bias', reason: 'not known to this provider' }],
    warnings: [],
    overruled: [],
    cache: 'DISABLED',
    guardrails: [],
    notes: {},
    metadata: row.meta,
    labels: row.label,
    client: { ip: '127.0.0.1', agent: row.agent },
    bytes: { in: row.bytes_in, out: row.bytes_out },
    socket: null,
    end: row.end,
    request: { headers: { 'content-type': 'application/json', authorization: '***' }, body: bodyInfo(bodies.request), why_absent: null },
    upstream: { headers: { 'content-type': 'application/json', authorization: '***' }, body: bodyInfo(bodies.upstream), why_absent: null },
    response: {
      headers: { 'content-type': row.error === null ? 'text/event-stream' : 'application/json' },
      body: { ...bodyInfo(bodies.response), chunks },
      why_absent: null,
    },
    random: 0.5,
    route: [{ node: 'configs.support', strategy: 'fallback', chose: failed.length, because: 'on 429, 500–599' }],
    preview: row.preview,
    bodies: 'redacted',
    redactions: { email: 2 },
  };
  return { record, bodies };
}

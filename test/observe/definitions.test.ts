import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { providers } from '../../plugins/index.ts';
import type { LogRecord } from '../../src/core/records/record.ts';
import { emptyRecord } from '../../src/core/records/empty.ts';
import { sampleRecord } from '../../src/store/fixtures/sample.ts';
import { operationOf } from '../../src/telemetry/operation.ts';
import type { EncodeSettings } from '../../src/telemetry/otlp/exported-record.ts';
import { logRecordOf } from '../../src/telemetry/otlp/log-records.ts';
import { schemaUrl } from '../../src/telemetry/otlp/names.ts';
import { itemText, payloadOf } from '../../src/telemetry/otlp/payload.ts';
import { spansOf } from '../../src/telemetry/otlp/spans.ts';
import { pythonWith } from '../support/python.ts';
import { lacking } from '../support/skipping.ts';

/** The exported data, parsed by code generated from the definitions of OpenTelemetry. */

const settings: EncodeSettings = {
  version: '1.2.3',
  instance: 'd1c3b8a0-0000-4000-8000-000000000000',
  resource: { 'deployment.environment.name': 'production' },
  providerNames: { 'azure-eu': 'azure.ai.openai' },
};

const attempt = sampleRecord().attempts[0] as LogRecord['attempts'][number];
const records: readonly LogRecord[] = [
  sampleRecord(),
  sampleRecord({
    trace: { ...sampleRecord().trace, trace_id: 'order "7"', span_id: 's', parent: 'p', span_name: 'Answer\nthe mail' },
    prompt: { id: 'welcome', version: 2, label: null },
    metadata: { 'half \ud83d': 'of a pair \udc00 \\ud83d' },
    usage: { ...sampleRecord().usage, cached: 3, cache_write: 2, reasoning: 1 },
    cost: { usd: '0.000102', source: null, prices: {} },
    attempts: [
      { ...attempt, n: 0, status: null, outcome: 'timeout', reason: 'Zeit abgelaufen: "ü" \u2028 \u0000' },
      { ...attempt, n: 1 },
    ],
  }),
  sampleRecord({
    endpoint: 'relay',
    path: '/v1/x',
    model: { asked: null, sent: null, answered: null },
    usage: emptyRecord.usage,
    finish: [],
  }),
  {
    ...emptyRecord,
    id: sampleRecord().id,
    at: 1,
    method: 'POST',
    endpoint: 'embeddings',
    status: 401,
    error: { code: 'missing_api_key', source: 'gateway', message: 'no' },
  },
];
const content = {
  request: '{"system":"Be kind.","messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}',
  response: '{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}}]}',
};

interface Read {
  readonly spans: readonly (readonly [name: string, trace: string, idBytes: number, kind: number, nanos: number])[];
  readonly logs: readonly (readonly [severity: number, event: string, trace: string, nanos: number])[];
  readonly unknown: readonly string[];
  readonly operations: readonly string[];
  readonly providers: readonly string[];
  readonly schemas: readonly string[];
}

const python = pythonWith('otlp', new URL('python-requirements.txt', import.meta.url).pathname);

function read(): Read {
  const exported = records.map((record) => ({ record, ...content }));
  const spans = exported.flatMap((each) => spansOf(each, settings)).map(itemText);
  const logs = exported.map((each) => itemText(logRecordOf(each, settings)));
  const lines = [
    `{"signal":"traces","payload":${payloadOf('traces', spans, settings)}}`,
    `{"signal":"logs","payload":${payloadOf('logs', logs, settings)}}`,
  ];
  if ('missing' in python) throw new Error(python.missing);
  const script = new URL('check-otlp.py', import.meta.url).pathname;
  const run = spawnSync(python.python, [script], { input: `${lines.join('\n')}\n`, encoding: 'utf8', timeout: 60_000 });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout) as Read;
}

describe.skipIf(lacking(python))('the exported data', () => {
  it('is valid OTLP with the expected values', () => {
    const { spans, logs } = read();
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    expect(spans.map(([name]) => name)).toEqual([
      'POST /v1/chat/completions',
      'chat gpt-4o-mini',
      'Answer\nthe mail',
      'chat gpt-4o-mini',
      'chat gpt-4o-mini',
      'POST',
      'relay gpt-4o-mini',
      'POST /v1/embeddings',
    ]);
    expect(spans[0]).toEqual(['POST /v1/chat/completions', trace, 8, 2, 812_300_000]);
    expect(spans[1]).toEqual(['chat gpt-4o-mini', trace, 8, 3, 811_700_000]);
    expect(spans.every(([, id]) => /^(?!0{32})[0-9a-f]{32}$/.test(id))).toBe(true);
    expect(logs).toHaveLength(records.length);
    expect(logs[0]).toEqual([9, 'gateway.request', trace, 1_795_253_467_812_300_000]);
    expect(logs[3]?.[0]).toBe(13);
  });

  it("uses names of the semantic conventions or the gateway's own", () => {
    const { unknown, schemas } = read();
    expect(unknown).toEqual([]);
    expect(schemas).toContain(schemaUrl);
  });

  it('uses the operation and provider names of the conventions where they exist', () => {
    const { operations, providers: names } = read();
    for (const endpoint of ['chat/completions', 'completions', 'embeddings', 'messages', 'responses'])
      expect(operations).toContain(operationOf(endpoint));
    const gatewayNames = providers.flatMap(({ type, entry }) => entry.telemetryName ?? (names.includes(type) ? type : []));
    expect(gatewayNames.filter((name) => !names.includes(name))).toEqual([]);
    expect(gatewayNames.length).toBeGreaterThan(8);
  });
});

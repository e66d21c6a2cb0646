import { expect, it } from 'vitest';
import type { AttemptRecord, LogRecord } from '../../core/records/record.ts';
import { sampleRecord } from '../../store/fixtures/sample.ts';
import { requestLine } from './request-line.ts';

const style = { colors: false, clockTime: () => '09:31:07' };
const [sampleAttempt] = sampleRecord().attempts as [AttemptRecord];
const attempt = (overrides: Partial<AttemptRecord>): AttemptRecord => ({ ...sampleAttempt, ...overrides });
const limited = attempt({ provider: 'openai-main', status: 429, reason: 'status 429' });
const noUsage: LogRecord['usage'] = { ...sampleRecord().usage, prompt: 0, completion: 0, source: 'none' };

it.each<[string, Partial<LogRecord>, string]>([
  [
    'a stream',
    {},
    '09:31:07  200  support   azure-eu/gpt-4o-mini                        812 ms  ttft 240  312→88 tok    app-web  req_…R9S0T1V2W3',
  ],
  [
    'a fallback',
    { attempts: [limited, attempt({ n: 1 })], ms: { total: 1940, first_event: 610, overhead: 1 } },
    '09:31:07  200  support   openai-main 429 → azure-eu/gpt-4o-mini      1.94 s  ttft 610  312→88 tok    app-web  req_…R9S0T1V2W3',
  ],
  [
    'retries of one target and a timeout',
    { attempts: [limited, limited, attempt({ provider: 'vertex-eu', status: null, outcome: 'timeout' }), attempt({ n: 3 })] },
    '09:31:07  200  support   openai-main 429 ×2 → vertex-eu timeout → azure-eu/gpt-4o-mini    812 ms  ttft 240  312→88 tok    app-web  req_…R9S0T1V2W3',
  ],
  [
    'a complete response with a known cost and estimated tokens',
    {
      stream: false,
      ms: { total: 5.4, first_event: null, overhead: 1 },
      cost: { usd: '0.000123', source: 'table', prices: {} },
      usage: { ...sampleRecord().usage, source: 'estimated' },
    },
    '09:31:07  200  support   azure-eu/gpt-4o-mini                        5.4 ms            ~312→88 tok   $0.0001  app-web  req_…R9S0T1V2W3',
  ],
  [
    'a cost below a hundredth of a cent',
    { ms: { total: 5.4, first_event: null, overhead: 1 }, cost: { usd: '0.0000004567', source: 'table', prices: {} } },
    '09:31:07  200  support   azure-eu/gpt-4o-mini                        5.4 ms            312→88 tok    $0.0000004  app-web  req_…R9S0T1V2W3',
  ],
  [
    'a WebSocket',
    {
      status: 101,
      stream: false,
      usage: noUsage,
      socket: { close: { client: 1000, provider: 1006 }, frames: { in: 8, out: 6 } },
    },
    '09:31:07  101  support   azure-eu/gpt-4o-mini                        812 ms  ws 1000/1006  8→6 frames  app-web  req_…R9S0T1V2W3',
  ],
  [
    'an error before any attempt',
    {
      status: 404,
      config: null,
      attempts: [],
      usage: noUsage,
      ms: { total: 1.2, first_event: null, overhead: 1 },
      error: { code: 'config_not_found', source: 'gateway', message: 'No config "suport". Did you mean "support"?' },
    },
    '09:31:07  404  -         No config "suport". Did you mean "support"?    1.2 ms                          app-web  req_…R9S0T1V2W3',
  ],
  [
    'an error after attempts',
    {
      status: 502,
      attempts: [limited, attempt({ status: 503 })],
      usage: noUsage,
      ms: { total: 88, first_event: null, overhead: 1 },
      error: { code: 'all_targets_failed', source: 'gateway', message: 'Every target failed.' },
    },
    '09:31:07  502  support   openai-main 429 → azure-eu 503: Every target failed     88 ms                          app-web  req_…R9S0T1V2W3',
  ],
  [
    'an error with only a status',
    { status: 400, error: null, attempts: [], usage: noUsage, ms: { total: 3, first_event: null, overhead: 1 }, key: null },
    '09:31:07  400  support   status 400                                  3.0 ms                          -  req_…R9S0T1V2W3',
  ],
  [
    'a client that disconnected',
    { end: 'client_gone' },
    '09:31:07  200  support   azure-eu/gpt-4o-mini (client disconnected)    812 ms  ttft 240  312→88 tok    app-web  req_…R9S0T1V2W3',
  ],
  [
    'a relayed path',
    {
      endpoint: 'relay',
      method: 'GET',
      path: '/v1/files',
      attempts: [attempt({ model: '' })],
      usage: noUsage,
      ms: { total: 20, first_event: null, overhead: 1 },
      id: 'short',
    },
    '09:31:07  200  support   azure-eu GET /v1/files                       20 ms                          app-web  short',
  ],
  [
    'a model list without an attempt',
    { endpoint: 'models', attempts: [], usage: noUsage, ms: { total: 0.4, first_event: null, overhead: 0.4 } },
    '09:31:07  200  support   models                                      0.4 ms                          app-web  req_…R9S0T1V2W3',
  ],
  [
    'names with control characters',
    { config: 'a\u001b[2Jb', key: 'k\r\nx', attempts: [attempt({ model: 'm\u202e\u0007' })] },
    '09:31:07  200  a\ufffd[2Jb    azure-eu/m\ufffd\ufffd                                812 ms  ttft 240  312→88 tok    k  x  req_…R9S0T1V2W3',
  ],
])('requestLine() shows %s', (_name, overrides, line) => {
  expect(requestLine(sampleRecord(overrides), style)).toBe(line);
});

it('requestLine() colors the status by the result and changes nothing else', () => {
  const colored = { ...style, colors: true };
  const withoutColors = (text: string) => text.replaceAll(/\u001b\[\d+m/g, '');
  expect(requestLine(sampleRecord(), colored)).toContain('\u001b[32m200\u001b[39m');
  expect(requestLine(sampleRecord({ status: 404 }), colored)).toContain('\u001b[33m404\u001b[39m');
  expect(requestLine(sampleRecord({ end: 'fault' }), colored)).toContain('\u001b[31m200\u001b[39m');
  expect(withoutColors(requestLine(sampleRecord(), colored))).toBe(requestLine(sampleRecord(), style));
});

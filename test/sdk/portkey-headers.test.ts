import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Portkey } from 'portkey-ai';
import type { LogRecord } from '../../src/core/records/record.ts';
import { until } from '../support/gateway.ts';
import type { SeenRequest } from '../support/upstream.ts';
import { python, runScript } from './python.ts';
import { callerKey, catalogKeys, rawOf, type Rig, startRig } from './rig.ts';
import { skipping } from '../support/skipping.ts';

/** Options of the client library as users write them: camel case in npm, snake case in PyPI. */
type Options = Readonly<Record<string, unknown>>;

/** The result of one chat call and one image call with these options; the library sends the two differently. */
interface ReceivedCall {
  readonly requests: readonly SeenRequest[];
  readonly record: LogRecord;
  /** The headers that `getHeaders` of the library returns. */
  readonly headers: Readonly<Record<string, string>>;
}

interface Case {
  readonly name: string;
  readonly options: Options;
  readonly check: (came: ReceivedCall) => void;
}

const authorization = ({ requests }: ReceivedCall): readonly unknown[] => requests.map(({ headers }) => headers.authorization);
const signed = (key: string): readonly string[] => [`Bearer ${key}`, `Bearer ${key}`];
const inlineConfig = {
  strategy: { mode: 'fallback' },
  targets: [{ provider: '@second', override_params: { model: 'm-text' } }, { virtual_key: 'team' }],
};

const cases: readonly Case[] = [
  {
    name: 'a config by name',
    options: { config: 'renaming' },
    check: (received) => {
      expect(authorization(received)).toEqual(signed(catalogKeys.second));
      expect(received.record).toMatchObject({ config: 'renaming', target: 'configs.renaming.targets[0]', model: { sent: 'm-text' } });
      expect(received.headers).toMatchObject({
        config: `renaming@${received.record.revision}`,
        provider: 'second',
        'last-used-option-index': 'config.targets[0]',
        'retry-attempt-count': '0',
        'cache-status': 'DISABLED',
      });
    },
  },
  {
    name: 'a config as an object',
    options: { config: inlineConfig },
    check: (received) => {
      expect(authorization(received)).toEqual(signed(catalogKeys.second));
      expect(received.requests.map(({ body }) => (JSON.parse(body.toString()) as { model: string }).model)).toEqual(['m-text', 'm-text']);
      expect(received.headers).toMatchObject({ provider: 'second', 'last-used-option-index': 'config.targets[0]' });
    },
  },
  {
    name: 'a provider with @',
    options: { provider: '@openai' },
    check: (received) => {
      expect(authorization(received)).toEqual(signed(catalogKeys.main));
      expect(received.headers).toMatchObject({ provider: 'openai', 'last-used-option-index': 'config' });
    },
  },
  {
    name: 'a provider without @',
    options: { provider: 'openai' },
    check: (received) => {
      expect(authorization(received)).toEqual(signed(catalogKeys.main));
      expect(received.headers['provider']).toBe('openai');
    },
  },
  {
    name: 'a virtual key',
    options: { virtualKey: 'team' },
    check: (received) => {
      expect(authorization(received)).toEqual(signed(catalogKeys.team));
      expect(received.record.virtual_key).toBe('team');
    },
  },
  {
    name: 'a trace id and metadata',
    options: { traceID: 'trace-7', metadata: { team: 'web', _user: 'u-1' } },
    check: ({ record, headers }) => {
      expect(record.trace.trace_id).toBe('trace-7');
      expect(record.metadata).toEqual({ team: 'web', _user: 'u-1' });
      expect(headers['trace-id']).toBe('trace-7');
    },
  },
  {
    name: 'strict compliance off, the default of the library',
    options: {},
    check: ({ record }) => expect(record.strict).toBe(false),
  },
  {
    name: 'strict compliance on',
    options: { strictOpenAiCompliance: true },
    check: ({ record }) => expect(record.strict).toBe(true),
  },
  {
    name: 'debug off',
    options: { debug: false },
    check: ({ record }) => {
      expect(record.request.body).toBeNull();
      expect(record.request.why_absent).toContain('debug');
    },
  },
  {
    name: "the caller's own credential and host",
    options: { provider: 'openai', Authorization: 'Bearer sk-own-0123456789', customHost: '<upstream>' },
    check: (received) => {
      expect(authorization(received)).toEqual(signed('sk-own-0123456789'));
      expect([received.record.target, received.record.key]).toEqual(['request', 'app']);
    },
  },
  {
    name: "a config that brings the caller's own credential",
    options: { config: { provider: 'openai', api_key: 'sk-own-0123456789', custom_host: '<upstream>' } },
    check: (received) => expect(authorization(received)).toEqual(signed('sk-own-0123456789')),
  },
  {
    name: 'forwarded headers',
    options: { forwardHeaders: ['x-client-tag'], 'x-client-tag': 'blue' },
    check: ({ requests }) => expect(requests.map(({ headers }) => headers['x-client-tag'])).toEqual(['blue', 'blue']),
  },
  {
    name: 'a request timeout',
    options: { requestTimeout: 20_000 },
    check: (received) => expect(authorization(received)).toEqual(signed(catalogKeys.main)),
  },
];

/**
 * Sends both calls of every case, the nth with "case n" as its text and "m-n" as its model; gives the headers that the
 * library shows for the first call, or what it threw.
 */
type SendAll = (rig: Rig, options: readonly Options[]) => Promise<readonly SdkHeaders[]>;
type SdkHeaders = Readonly<Record<string, string>> | string;

const npm: SendAll = async ({ baseUrl }, all) => {
  const shown: SdkHeaders[] = [];
  for (const [n, options] of all.entries()) {
    const client = (): Portkey => new Portkey({ baseURL: baseUrl, apiKey: callerKey, ...options });
    const chat = client().chat.completions.create({ model: `m-${n}`, messages: [{ role: 'user', content: `case ${n}` }] });
    shown.push(
      await chat.then(
        (completion) => completion.getHeaders() ?? {},
        (error: unknown) => String(error),
      ),
    );
    await client()
      .images.generate({ model: `m-${n}`, prompt: `case ${n}` })
      .catch(() => undefined);
  }
  return shown;
};

const pypi: SendAll = async ({ baseUrl }, all) => {
  if ('missing' in python) throw new Error(python.missing);
  const text = await runScript(python.python, ['./portkey-headers.py', baseUrl, callerKey, JSON.stringify(all.map(snake))]);
  return JSON.parse(text) as readonly SdkHeaders[];
};

const snakeNames: Readonly<Record<string, string>> = {
  traceID: 'trace_id',
  virtualKey: 'virtual_key',
  strictOpenAiCompliance: 'strict_open_ai_compliance',
  customHost: 'custom_host',
  forwardHeaders: 'forward_headers',
  requestTimeout: 'request_timeout',
};
const snake = (options: Options): Options =>
  Object.fromEntries(Object.entries(options).map(([name, value]) => [snakeNames[name] ?? name, value]));

const libraries: readonly { name: string; sendAll: SendAll; missing: string | undefined }[] = [
  { name: 'npm portkey-ai', sendAll: npm, missing: undefined },
  { name: 'PyPI portkey-ai', sendAll: pypi, missing: 'missing' in python ? python.missing : undefined },
];

for (const { name, sendAll, missing } of libraries) {
  describe.skipIf(skipping(missing))(`headers of ${name} (${missing ?? 'run'})`, () => {
    let rig: Rig;
    let shown: readonly SdkHeaders[];
    beforeAll(async () => {
      rig = await startRig();
      const placed = JSON.stringify(cases.map(({ options }) => options)).replaceAll('<upstream>', `${rig.upstream.url}/v1`);
      shown = await sendAll(rig, JSON.parse(placed) as readonly Options[]);
    });
    afterAll(() => rig?.close());

    it.each(cases.map((each, n) => ({ ...each, n })))('are accepted with $name', async ({ n, check }) => {
      const headers = shown[n] ?? {};
      expect(headers).toBeTypeOf('object');
      const requests = rig.upstream.requests.filter(({ body }) => body.includes(`"case ${n}"`));
      expect(requests.map(({ url }) => url)).toEqual(['/v1/chat/completions', '/v1/images/generations']);
      for (const request of requests) {
        expect(rawOf(request)).not.toContain(callerKey);
        expect(rawOf(request)).not.toMatch(/OPENAI_API_KEY|DUMMY-KEY|x-portkey-/i);
      }
      const isChat = ({ path, model }: LogRecord): boolean => path === '/v1/chat/completions' && model.asked === `m-${n}`;
      const record = await until(() => rig.gateway.records.find(isChat), 'the record');
      check({ requests, record, headers: headers as Readonly<Record<string, string>> });
    });
  });
}

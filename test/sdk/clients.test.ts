import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LogRecord } from '../../src/core/records/record.ts';
import { until } from '../support/gateway.ts';
import type { SeenRequest } from '../support/upstream.ts';
import { type Expected, expectations } from './expectations.ts';
import { openaiNpm } from './openai-npm.ts';
import { portkeyNpm } from './portkey-npm.ts';
import { modelOf } from './provider.ts';
import { openaiPyPi, portkeyPyPi, python } from './python.ts';
import { callerKey, catalogKeys, placeholders, rawOf, type Rig, startRig } from './rig.ts';
import { type Client, fileBytes, type Report, scenarios, type Thrown } from './scenarios.ts';
import { skipping } from '../support/skipping.ts';

const noPython = 'missing' in python ? python.missing : undefined;

/** Every upstream route that the scenarios use. */
const routes = [
  'POST /v1/chat/completions',
  'POST /v1/embeddings',
  'POST /v1/images/generations',
  'POST /v1/moderations',
  'POST /v1/responses',
  'GET /v1/models',
  'POST /v1/files',
  'GET /v1/files',
] as const;

const clients: readonly { client: Client; missing: string | undefined }[] = [
  { client: openaiNpm, missing: undefined },
  { client: portkeyNpm, missing: undefined },
  { client: openaiPyPi, missing: noPython },
  { client: portkeyPyPi, missing: noPython },
];

for (const { client, missing } of clients) {
  describe.skipIf(skipping(missing))(`${client.name} with only base URL and key changed (${missing ?? 'run'})`, () => {
    let rig: Rig;
    let report: Report;

    beforeAll(async () => {
      rig = await startRig();
      report = await client.run(rig.baseUrl, callerKey);
    });
    afterAll(() => rig?.close());

    const receivedFor = (model: string): readonly SeenRequest[] => rig.upstream.requests.filter((request) => modelOf(request) === model);
    const thrown = (scenario: keyof Report): Thrown => (report[scenario] as { thrown: Thrown }).thrown;
    const recordOf = (scenario: keyof Report): Promise<LogRecord> => rig.gateway.record(thrown(scenario).request_id);

    it.each(scenarios.filter((scenario) => client.lacks[scenario] === undefined))(
      'returns or throws the expected result: %s',
      (scenario) => {
        const expected: Expected = expectations[scenario];
        expect(report[scenario]).toEqual(expected[client.name] ?? expected.all);
      },
    );

    it('reports no other scenarios', () => {
      expect(Object.keys(report).toSorted()).toEqual(scenarios.filter((name) => client.lacks[name] === undefined).toSorted());
    });

    it.each([
      ['error', 'provider_error', 400, 1],
      ['wrong_key', 'invalid_api_key', 401, 0],
      ['rate_limit', 'provider_error', 429, 1],
      ['all_failed', 'all_targets_failed', 503, 3],
      ['target_timeout', 'timeout', 408, 1],
    ] as const)('throws an error with the id of the request record: %s', async (scenario, code, status, attempts) => {
      const record = await recordOf(scenario);
      expect(record).toMatchObject({ end: 'fault', status, error: { code }, key: scenario === 'wrong_key' ? null : 'app' });
      expect(record.attempts).toHaveLength(attempts);
    });

    it('does not retry what the gateway has already retried', () => {
      expect(receivedFor('m-down').map(({ headers }) => headers.authorization)).toEqual(
        [catalogKeys.main, catalogKeys.main, catalogKeys.second].map((key) => `Bearer ${key}`),
      );
    });

    it('does not retry a request that the provider rejects', () => {
      expect(receivedFor('m-refuse')).toHaveLength(1);
    });

    it('closes the connection to the provider when it aborts a stream', async () => {
      const [request, ...retries] = receivedFor('m-endless');
      expect(retries).toEqual([]);
      await request?.aborted;
      const record = await until(() => rig.gateway.records.find((each) => each.end === 'client_gone' && each.stream), 'the record');
      expect(record).toMatchObject({ path: '/v1/chat/completions', status: 200, model: { asked: 'm-endless' } });
    });

    it('closes the connection to the provider when its own timeout expires', async () => {
      const requests = receivedFor('m-silent');
      await Promise.all(requests.map(({ aborted }) => aborted));
      const disconnects = (): readonly LogRecord[] => rig.gateway.records.filter((each) => each.end === 'client_gone' && !each.stream);
      const hasTimeout = client.lacks.client_timeout === undefined;
      await until(() => disconnects().length === requests.length - 1, 'the records');
      expect(disconnects().every(({ status, model }) => status === 499 && model.asked === 'm-silent')).toBe(true);
      expect(requests.length > 1).toBe(hasTimeout);
    });

    it('uploads a file unchanged', async () => {
      const [request] = rig.upstream.requests.filter(({ method, url }) => method === 'POST' && url === '/v1/files');
      const headers = { 'content-type': request?.headers['content-type'] ?? '' };
      const form = await new Response(new Uint8Array(request?.body ?? []), { headers }).formData();
      const file = form.get('file') as File;
      expect([form.get('purpose'), file.name]).toEqual(['batch', 'bytes.bin']);
      expect(Buffer.from(await file.arrayBuffer()).equals(fileBytes)).toBe(true);
      const record = await until(
        () => rig.gateway.records.find(({ path, method }) => path === '/v1/files' && method === 'POST'),
        'the record',
      );
      expect(record.bytes.in).toBe(request?.body.length);
    });

    it('uses every upstream route', () => {
      expect(new Set(rig.upstream.requests.map(routeOf))).toEqual(new Set(routes));
    });

    it.each(routes)('sends no key or header of the gateway to the provider: %s', (route) => {
      for (const request of rig.upstream.requests.filter((each) => routeOf(each) === route)) {
        const raw = rawOf(request);
        for (const secret of [callerKey, ...placeholders]) expect(raw).not.toContain(secret);
        expect(raw).not.toMatch(/x-(?:gateway|portkey)-/i);
        expect([catalogKeys.main, catalogKeys.second].map((key) => `Bearer ${key}`)).toContain(request.headers.authorization);
      }
    });

    it('causes no line in the log of the gateway', () => {
      expect(rig.gateway.lines).toEqual([]);
    });
  });
}

const routeOf = ({ method, url }: SeenRequest): string => `${method} ${url.split('?')[0]}`;

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminUrl, call, type AdminRequest, type AdminResponse } from '../admin/client.ts';
import { type FixtureServer, startFixtureServer } from '../support/dashboard/fixture-server.ts';
import { makeRows } from '../support/dashboard/rows.ts';
import { someServing } from '../support/dashboard/serving-views.ts';
import { send, startBusyGateway } from '../support/dashboard/traffic.ts';
import { type TestGateway, until } from '../support/gateway.ts';
import { differences } from '../support/shape.ts';

/** Members whose keys are chosen by clients, files or providers, so they differ from record to record. */
const maps = new Set(['headers', 'meta', 'label', 'metadata', 'labels', 'by', 'notes', 'redactions', 'prices', 'timeouts', 'patch']);

let gateway: TestGateway;
let fixture: FixtureServer;
let ids: { readonly gateway: string; readonly fixture: string };
beforeAll(async () => {
  gateway = await startBusyGateway();
  for (const n of [0, 2, 4]) await send(gateway, n);
  const rows = makeRows(200, Date.now(), 1);
  const moved = rows.find(({ fallback, stream }) => fallback && stream) ?? rows[0];
  fixture = await startFixtureServer(rows, someServing(Date.now()));
  ids = { gateway: await send(gateway, 2), fixture: moved?.id ?? '' };
  await until(async () => (await call(adminUrl(gateway), `/api/requests/${ids.gateway}`)).status === 200, 'the record');
});
afterAll(async () => {
  await gateway?.close();
  await fixture?.close();
});

const both = (path: string, request: AdminRequest = {}): Promise<readonly [AdminResponse, AdminResponse]> =>
  Promise.all([
    call(adminUrl(gateway), path.replace('{id}', ids.gateway), request),
    call(fixture.url, path.replace('{id}', ids.fixture), request),
  ]);

const usual = ['content-type', 'content-security-policy', 'content-disposition', 'cache-control', 'x-content-type-options'];
const headersOf = ({ headers }: AdminResponse) => Object.fromEntries(usual.map((name) => [name, headers[name]]));

/** The page tests use the fixture server, so its responses must have the same shape as those of a gateway. */
describe('fixture server and gateway return responses of the same shape', () => {
  const requests: readonly { readonly path: string; readonly request?: AdminRequest }[] = [
    { path: '/api/session' },
    { path: '/api/status' },
    { path: '/api/requests?limit=100' },
    { path: '/api/requests?q=status%3Aoops' },
    { path: '/api/requests/{id}' },
    { path: '/api/requests/req_none' },
    { path: '/api/requests/{id}/body?part=response' },
    { path: '/api/requests/{id}/body?part=upstream' },
    { path: '/api/requests/req_none/body' },
    { path: '/api/requests/{id}/differences' },
    { path: '/api/traces/none' },
    { path: '/api/stats?by=status&step=60' },
    { path: '/api/stats?by=model' },
    { path: '/api/suggest?text=' },
    { path: '/api/suggest?text=config%3A' },
    { path: '/api/names' },
    { path: '/api/revisions' },
    { path: '/api/config' },
    { path: '/api/config/files?text_of=all' },
    { path: '/api/configs' },
    { path: '/api/configs/support' },
    { path: '/api/configs/none' },
    { path: '/api/providers' },
    { path: '/api/providers/openai-main' },
    { path: '/api/providers/none' },
    { path: '/api/keys' },
    { path: '/api/prompts' },
    { path: '/api/prompts/welcome' },
    { path: '/api/prompts/none' },
    { path: '/api/none' },
    { path: '/api/providers/openai-main/test', request: { method: 'POST', body: {} } },
    { path: '/api/prompts/welcome/render', request: { method: 'POST', body: { variables: { product: 'Kite', question: 'How?' } } } },
    { path: '/api/plan', request: { method: 'POST', body: { files: {} } } },
    { path: '/api/check', request: { method: 'POST', body: { files: {} } } },
    {
      path: '/api/explain',
      request: { method: 'POST', body: { body: { model: 'gpt-4o-mini', temperature: 1 }, headers: { 'x-gateway-config': 'support' } } },
    },
    { path: '/api/reload', request: { method: 'POST', body: {} } },
  ];
  it.each(requests)('$path', async ({ path, request }) => {
    const [real, copy] = await both(path, request);
    expect([copy.status, copy.code, headersOf(copy)]).toEqual([real.status, real.code, headersOf(real)]);
    if (!path.includes('/body')) expect(differences(real.json, copy.json, maps)).toEqual([]);
  });

  it('/api/live', async () => {
    const events = async (base: string, act: () => unknown): Promise<readonly (readonly [string, unknown])[]> => {
      const stop = new AbortController();
      const response = await fetch(`${base}/api/live`, { signal: stop.signal });
      expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      let text = '';
      const decoder = new TextDecoder();
      for await (const piece of response.body ?? []) {
        if (text === '') await act();
        text += decoder.decode(piece, { stream: true });
        if (text.split('\n\n').length > 2) break;
      }
      stop.abort();
      return text
        .trim()
        .split('\n\n')
        .map((event) => {
          const field = (name: string): string | undefined =>
            event
              .split('\n')
              .find((line) => line.startsWith(`${name}: `))
              ?.slice(name.length + 2);
          return [field('event') ?? 'message', JSON.parse(field('data') ?? 'null') as unknown] as const;
        });
    };
    const real = await events(adminUrl(gateway), () => send(gateway, 0));
    const copy = await events(fixture.url, () => fixture.add(makeRows(1, Date.now())[0] ?? expect.fail()));
    expect(copy.map(([name]) => name)).toEqual(real.map(([name]) => name));
    expect(
      differences(
        real.map(([, data]) => data),
        copy.map(([, data]) => data),
        maps,
      ),
    ).toEqual([]);
  });
});

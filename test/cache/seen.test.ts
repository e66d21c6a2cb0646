import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminUrl } from '../admin/client.ts';
import { runHere } from '../cli/in-process.ts';
import { hasBrowser, useBrowser } from '../support/dashboard/page.ts';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';

/** What operators see of responses from the cache. The mock stands for a provider without a network: its responses are stored too. */

let gateway: TestGateway;
let base: string;
const ids: string[] = [];

beforeAll(async () => {
  gateway = await startTestGateway(
    `version: 1
server: {admin: {open: true}}
providers: {mock: {type: mock}}
configs: {tests: {provider: mock, cache: {mode: simple}}}
`,
    { admin: true },
  );
  base = adminUrl(gateway);
  for (let i = 0; i < 3; i += 1) {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gateway-config': 'tests' },
      body: JSON.stringify({ model: 'echo', messages: [{ role: 'user', content: 'Hi' }] }),
    });
    await response.text();
    ids.push(response.headers.get('x-request-id') ?? '');
  }
  await until(async () => (await run('search', 'cache:HIT', '--json')).trim().split('\n').length === 2, 'the records');
});
afterAll(() => gateway.close());

const run = async (...args: string[]): Promise<string> =>
  (await runHere(['logs', ...args], gateway.dir, { env: { GATEWAY_ADMIN: base } })).out;

it('the log shows that nothing was sent', async () => {
  expect(await run('show', ids[0] ?? '')).not.toMatch(/^cache /m);
  expect(await run('show', ids[2] ?? '')).toMatch(/^cache +HIT: a stored response, nothing was sent$/m);
});

it('metrics count hits', async () => {
  const metrics = await (await fetch(`${base}/metrics`)).text();
  expect(metrics).toContain('gateway_cache_requests_total{result="hit"} 2');
  expect(metrics).toMatch(/^gateway_attempts_total\{provider="mock",.*outcome="200"\} 1$/m);
});

describe.skipIf(!hasBrowser)('the dashboard', () => {
  const open = useBrowser();

  it('shows hits on the pages Request and Overview', async () => {
    const { page } = await open(`${base}/requests/${ids[2]}`);
    await page.getByText('from the cache', { exact: true }).waitFor();
    await page.goto(`${base}/`);
    await page.getByRole('link', { name: 'cache hits' }).click();
    await page
      .getByRole('table')
      .getByText(ids[2] ?? '')
      .or(page.getByText('2 requests'))
      .first()
      .waitFor();
    expect(decodeURIComponent(page.url())).toContain('cache:HIT');
    await page.context().close();
  });
});

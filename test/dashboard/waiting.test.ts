import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LogRow } from '../../src/core/logs/row.ts';
import { type FixtureServer, startFixtureServer } from '../support/dashboard/fixture-server.ts';
import { hasBrowser, useBrowser } from '../support/dashboard/page.ts';
import { makeRows } from '../support/dashboard/rows.ts';

describe.skipIf(!hasBrowser)('waiting for the gateway', () => {
  const open = useBrowser();
  let server: FixtureServer;
  let rows: LogRow[];
  beforeEach(async () => {
    rows = makeRows(100, Date.now(), 20);
    server = await startFixtureServer(rows);
  });
  afterEach(() => server.close());

  const abortApi = async (page: Page): Promise<void> => void (await page.route('**/api/**', (route) => route.abort()));
  const offlineBanner = (page: Page) => page.getByText('No connection to the gateway since');

  it('shows the frame of a page until the first response', async () => {
    const { page } = await open('about:blank');
    const slow = Promise.withResolvers<void>();
    await page.route('**/api/session', (route) => slow.promise.then(() => route.continue()));
    await page.goto(`${server.url}/catalog`);
    await page.getByRole('status').getByText('Waiting for the gateway').waitFor();
    const brand = page.getByRole('link', { name: 'Gateway', exact: true });
    const before = await brand.boundingBox();
    expect(await page.locator('.skeleton').count()).toBeGreaterThan(0);
    slow.resolve();
    await page.getByRole('heading', { name: 'Catalog' }).waitFor();
    expect(await brand.boundingBox()).toEqual(before);
  });

  it('is shown next to the previous data while the gateway is unreachable', async () => {
    const { page } = await open(server.url);
    await page.locator('.figures').waitFor();
    await page.clock.install();
    await abortApi(page);
    await page.clock.runFor(1000);
    await offlineBanner(page).waitFor();
    let failed = 0;
    page.on('requestfailed', (request) => void (failed += Number(request.url().includes('/api/stats'))));
    // Both calls for the figures have failed by then.
    await page.clock.runFor(11_000);
    await expect.poll(() => failed).toBeGreaterThanOrEqual(2);
    expect([await page.locator('.figures').count(), await page.getByRole('alert').count()]).toEqual([1, 0]);
    await page.unroute('**/api/**');
    await page.clock.runFor(3000);
    await offlineBanner(page).waitFor({ state: 'detached' });
  });

  it('is shown while the network drops all packets', async () => {
    const { page } = await open(`${server.url}/requests`);
    await page.clock.install();
    await page.reload();
    // Rows that never load are an error of the list, which is shown instead.
    await page.locator('.grid tbody tr:not(.space)').first().waitFor();
    await expect.poll(() => server.watching()).toBe(1);
    await page.route('**/api/**', () => undefined);
    await page.clock.runFor(60_000);
    await page.getByText('Live rows are interrupted').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.clock.runFor(50_000);
    await offlineBanner(page).waitFor();
    await page.unroute('**/api/**');
    await page.clock.runFor(3000);
    await offlineBanner(page).waitFor({ state: 'detached' });
  });

  it('ends when the gateway is reachable again, also on a page that does not poll', async () => {
    const { page } = await open(`${server.url}/requests/${rows[0]?.id}`);
    await page.locator('.timeline').waitFor();
    await abortApi(page);
    await page.keyboard.press('e');
    await offlineBanner(page).waitFor();
    await page.unroute('**/api/**');
    await offlineBanner(page).waitFor({ state: 'detached' });
  });

  it('ends when the gateway is reachable again, also if the page had not loaded yet', async () => {
    const { page } = await open(server.url);
    await abortApi(page);
    await page.reload();
    await page.getByText('The gateway can’t be reached').waitFor();
    await page.unroute('**/api/**');
    await page.locator('.figures').waitFor();
  });

  const logFault = { error: { code: 'log_unavailable', message: 'The request log cannot be read: connection refused.' } };

  it.each(['/requests', '/requests/ID', '/traces/TRACE'])('ends on %s when the request log is available again', async (path) => {
    const { page } = await open('about:blank');
    await page.route(/\/api\/(?:requests|traces)/, (route) => route.fulfill({ status: 503, json: logFault }));
    await page.goto(server.url + path.replace('ID', rows[0]?.id ?? '').replace('TRACE', rows[0]?.trace ?? ''));
    await page.getByRole('alert').getByText('The request log cannot be read').waitFor();
    await page.unroute(/\/api\/(?:requests|traces)/);
    await page.locator('.grid tbody tr:not(.space), .timeline, .trace').first().waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it('repeats a query that failed after a long time less often', async () => {
    const { page } = await open('about:blank');
    await page.clock.install();
    const slow = Promise.withResolvers<void>();
    let calls = 0;
    await page.route(`**/api/requests/${rows[0]?.id}`, async (route) => {
      calls += 1;
      await slow.promise;
      await route.fulfill({ status: 503, json: logFault });
    });
    await page.goto(`${server.url}/requests/${rows[0]?.id}`);
    await expect.poll(() => calls).toBe(1);
    await page.clock.runFor(5000);
    slow.resolve();
    await page.getByRole('alert').getByText('The request log cannot be read').waitFor();
    await page.clock.runFor(45_000);
    expect(calls).toBe(1);
    await page.clock.runFor(10_000);
    await expect.poll(() => calls).toBeGreaterThan(1);
  });

  it('is shown until the rows of a new filter arrive', async () => {
    const { page } = await open(`${server.url}/requests`);
    await page.locator('.grid tbody tr:not(.space)').first().waitFor();
    const slow = Promise.withResolvers<void>();
    await page.route('**/api/requests?*', async (route) => {
      await slow.promise;
      await route.continue();
    });
    const filter = page.getByRole('combobox', { name: 'Filter' });
    await filter.fill('stream:true');
    await filter.press('Enter');
    await page.getByText('Searching…').waitFor();
    expect(await page.locator('.grid-box.old').count()).toBe(1);
    slow.resolve();
    await page.getByText('Searching…').waitFor({ state: 'detached' });
    expect(await page.locator('.grid-box.old').count()).toBe(0);
  });

  it('shows an error that several calls of the overview have once, and no chart that loads forever', async () => {
    const { page } = await open(`${server.url}/catalog`);
    const fail = { status: 500, json: { error: { message: 'The request log is not available.' } } };
    await page.route(/\/api\/(?:status|stats)/, (route) => route.fulfill(fail));
    await page.goto(server.url);
    await page.getByRole('alert').first().waitFor();
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    expect(await page.getByRole('alert').allInnerTexts()).toEqual([expect.stringContaining('The request log is not available.')]);
    await page.unroute(/\/api\/(?:status|stats)/);
    await page.route('**/api/stats?*by=model*', (route) => route.fulfill(fail));
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.figures').waitFor();
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    expect(await page.getByRole('alert').count()).toBe(1);
  });

  it('shows from when requests are counted if that takes too long for the whole range', async () => {
    const { page } = await open(`${server.url}/catalog`);
    await page.route('**/api/stats*', async (route) => {
      // The page may still load when the test has ended.
      const response = await route.fetch().catch(() => undefined);
      if (response === undefined) return;
      await route.fulfill({ response, json: { ...((await response.json()) as object), uncounted_since: 0 } });
    });
    await page.goto(server.url);
    await page.getByText(/^Some figures count only the requests since 20\d\d-/).waitFor();
    await page.getByText('Choose a shorter range').waitFor();
    await page.goto(`${server.url}/requests`);
    await page.locator('.histogram', { hasText: / · counted only since 20\d\d-/ }).waitFor();
  });

  it('does not show the figures of another time range after an error', async () => {
    const { page } = await open(server.url);
    await page.locator('.figures').waitFor();
    await page.route('**/api/stats?*30d*', (route) => route.fulfill({ status: 500, json: {} }));
    await page.keyboard.press('t');
    await page.getByRole('button', { name: 'Last 30 days' }).click();
    await page.getByRole('alert').waitFor();
    expect([await page.locator('.figures').count(), await page.locator('.chart').count()]).toEqual([0, 0]);
  });

  it.each(['/', '/requests'])('does not keep the first request from %s if responses are slower than the polling', async (path) => {
    const empty = await startFixtureServer([]);
    const { page } = await open(`${empty.url}/catalog`);
    // Without the live row, the page shows the request after it has polled.
    await page.route('**/api/live*', (route) => route.abort());
    await page.route(/\/api\/(?:status|stats|requests)/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 3500));
      await route.continue().catch(() => undefined);
    });
    await page.goto(empty.url + path);
    await page.getByText('No requests yet').waitFor();
    for (const row of rows.slice(0, 1)) empty.add(row);
    await page.getByText('No requests yet').waitFor({ state: 'detached' });
    await empty.close();
  });

  it('closes the panel of a request that does not load', async () => {
    const { page } = await open(`${server.url}/requests?open=req_nowhere`, { width: 360 });
    const panel = page.getByRole('complementary', { name: 'Request' });
    await panel.getByText('There is no record "req_nowhere"').waitFor();
    await panel.getByRole('button', { name: 'Close' }).click();
    await panel.waitFor({ state: 'detached' });
    await page.route('**/api/requests/*', () => undefined);
    await page.goto(`${server.url}/requests?open=${rows[0]?.id}`);
    await panel.getByRole('button', { name: 'Close' }).click();
    await panel.waitFor({ state: 'detached' });
  });

  it('does not place a reload of the last seconds in the future', async () => {
    const reload = (at: number) => ({
      last_reload: { at, result: 'unchanged', revision: '8f3c2a1', diagnostics: [], errors: 0, warnings: 0, reason: null } as const,
    });
    server.set({ status: reload(Date.now() - 60_000) });
    const { page } = await open(`${server.url}/system`);
    await page.clock.install();
    await page.reload();
    const time = page.getByRole('region', { name: 'Last reload' }).locator('time');
    await expect.poll(() => time.innerText()).toBe('1 min ago');
    const soon = Number(await page.evaluate('Date.now()')) + 7000;
    await page.clock.pauseAt(soon);
    server.set({ status: reload(soon) });
    await page.clock.runFor(1000);
    await expect.poll(() => time.innerText()).toBe('now');
  });

  it('shows ages by the clock of the gateway if that of the browser is wrong', async () => {
    const started_at = Date.now() - 600_000;
    server.set({ status: { started_at } });
    const { page } = await open('about:blank');
    await page.clock.install({ time: Date.now() - 3_600_000 });
    await page.route('**/api/**', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), date: new Date().toUTCString() } });
    });
    await page.goto(`${server.url}/system`);
    await page.getByText('10 min ago').waitFor();
    expect(await page.locator('.figure', { hasText: 'Uptime' }).innerText()).toMatch(/^Uptime\n10 min/);
  });
});

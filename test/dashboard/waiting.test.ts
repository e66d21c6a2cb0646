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

  it('is shown next to the previous data while the gateway is unreachable', async () => {
    const { page } = await open(server.url);
    await page.locator('.figures').waitFor();
    await page.clock.install();
    await abortApi(page);
    await page.clock.runFor(1000);
    await offlineBanner(page).waitFor();
    // By now all figures have been requested without success.
    await page.clock.runFor(11_000);
    expect([await page.locator('.figures').count(), await page.getByRole('alert').count()]).toEqual([1, 0]);
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
});

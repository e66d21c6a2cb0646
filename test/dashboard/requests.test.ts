import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { SearchPage } from '../../src/core/logs/reader.ts';
import type { LogRow } from '../../src/core/logs/row.ts';
import { type FixtureServer, startFixtureServer } from '../support/dashboard/fixture-server.ts';
import { hasBrowser, useBrowser } from '../support/dashboard/page.ts';
import { makeRow, makeRows, randomFrom } from '../support/dashboard/rows.ts';

const random = randomFrom(99);
const newRow = (n: number): LogRow => makeRow(1_000_000 + n, Date.now(), random);
const visibleRows = (page: Page) => page.locator('.grid tbody tr:not(.space)');
const filterOf = (page: Page) => page.getByRole('combobox', { name: 'Filter' });
const parameter = (page: Page, name: string): string | null => new URL(page.url()).searchParams.get(name);

describe.skipIf(!hasBrowser)('request list', () => {
  const open = useBrowser();
  let server: FixtureServer;
  let rows: LogRow[];
  beforeEach(async () => {
    rows = makeRows(2000, Date.now(), 20);
    server = await startFixtureServer(rows);
  });
  afterEach(() => server.close());

  const list = async (search = '') => {
    const opened = await open(`${server.url}/requests${search}`);
    await visibleRows(opened.page).first().waitFor();
    return opened.page;
  };

  it('renders at most 80 rows, and loads more when scrolled to the end', async () => {
    const page = await list();
    const counts: number[] = [];
    const scrollToEnd = async (): Promise<number> => {
      await page.evaluate('document.querySelector(".grid-box").scrollTo(0, 1e9)');
      counts.push(await visibleRows(page).count());
      return Number(await visibleRows(page).last().getAttribute('aria-rowindex'));
    };
    await expect.poll(scrollToEnd).toBeGreaterThan(500);
    expect(Math.max(...counts)).toBeLessThanOrEqual(80);
    // The default columns fit.
    expect(await page.evaluate('(box => box.scrollWidth - box.clientWidth)(document.querySelector(".grid-box"))')).toBe(0);
    // Times of rows of another day are not truncated.
    const truncatedCells = `[...document.querySelectorAll('td.c-time .cut, td.c-tokens .cut')].filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent)`;
    expect(await page.evaluate(truncatedCells)).toEqual([]);
    // A new filter scrolls to the newest row.
    await filterOf(page).fill('stream:true');
    await filterOf(page).press('Enter');
    await page.locator(`tr[aria-rowindex="2"] a[href="/requests/${rows.find(({ stream }) => stream)?.id}"]`).waitFor();
    expect(await page.evaluate('document.querySelector(".grid-box").scrollTop')).toBe(0);
  });

  it('shows failed targets and the one that responded, with full names if there is room', async () => {
    const row: LogRow = { ...newRow(1), status: 200, end: 'whole', provider: 'azure-eu', model: 'gpt-4o', fallback: true, attempts: 3 };
    const hop = { provider: 'openai-main-in-europe', model: 'gpt-4o', said: '429' };
    server.add({ ...row, error: null, message: null, key: 'analytics-of-a-shop', hops: [hop, hop] });
    const page = await list();
    const widths = (selector: string): Promise<number[]> =>
      page
        .locator(selector)
        .first()
        .evaluate((cell) => [cell.scrollWidth, cell.clientWidth]);
    const lastTarget = '.grid tbody tr:not(.space) .route > .cut:last-child';
    expect(await page.locator('.route').first().innerText()).toMatch(/^openai-main-in-europe 429 ×2\s*→\s*azure-eu\/gpt-4o$/);
    const [text = 0, shown = 1] = await widths(lastTarget);
    expect(text).toBeLessThanOrEqual(shown);
    const [long = 0, cut = 0] = await widths('.c-key .cut');
    expect(long).toBeGreaterThan(cut);
    await page.setViewportSize({ width: 2560, height: 800 });
    await expect.poll(async () => (await widths('.c-key .cut')).reduce((a, b) => a - b)).toBe(0);
  });

  it('shows the beginning of a long text that is written from right to left', async () => {
    const preview = 'كيف يمكنني إعادة تعيين كلمة المرور في التطبيق؟ '.repeat(8);
    server.add({ ...newRow(1), error: null, message: null, preview });
    const page = await list();
    const cell = page.locator('.c-preview .cut').first();
    await cell.filter({ hasText: 'كيف' }).waitFor();
    expect(await cell.evaluate((element) => element.matches(':dir(rtl)'))).toBe(true);
  });

  it('shows failed targets on a separate line if one line is too short', async () => {
    const row: LogRow = {
      ...newRow(1),
      status: 200,
      end: 'whole',
      provider: 'azure-eu',
      model: 'gpt-4o-mini',
      fallback: true,
      attempts: 2,
    };
    server.add({ ...row, hops: [{ provider: 'openai-main', model: 'gpt-4o-mini', said: '429' }] });
    const page = await list();
    const route = page.locator('.route').first();
    expect(await route.innerText()).toMatch(/^openai-main 429\s*→\s*azure-eu\/gpt-4o-mini$/);
    const truncatedParts = "cell => [...cell.querySelectorAll('.cut')].filter(part => part.scrollWidth > part.clientWidth).length";
    expect(await route.evaluate(`(${truncatedParts})(document.querySelector('.route'))`)).toBe(0);
    const height = async (): Promise<number> => (await visibleRows(page).first().boundingBox())?.height ?? 0;
    expect(await height()).toBe(36);
    const lines = (): Promise<number> =>
      page.evaluate(
        "new Set([...document.querySelector('.route').children].map(part => Math.round(part.getBoundingClientRect().bottom / 8))).size",
      );
    expect(await lines()).toBe(2);
    await page.setViewportSize({ width: 2560, height: 800 });
    await expect.poll(lines).toBe(1);
  });

  it('applies a filter, stores it in the URL, and restores it with browser history', async () => {
    const page = await list();
    await filterOf(page).fill('status:>=400');
    await filterOf(page).press('Enter');
    await expect
      .poll(() =>
        page
          .locator('.c-status')
          .allInnerTexts()
          .then((texts) => texts.length > 3 && texts.every((text) => /[45]\d\d/.test(text))),
      )
      .toBe(true);
    expect(parameter(page, 'q')).toBe('status:>=400');
    await page.goBack();
    await expect.poll(() => filterOf(page).inputValue()).toBe('');
    await expect
      .poll(() =>
        page
          .locator('.c-status')
          .allInnerTexts()
          .then((texts) => texts.some((text) => text.includes('200'))),
      )
      .toBe(true);
  });

  it('opens the request whose id is pasted into the filter, regardless of the time range', async () => {
    const old: LogRow = { ...newRow(2), at: Date.now() - 5 * 86_400_000 };
    server.add(old);
    const page = await list();
    await filterOf(page).fill(` ${old.id} `);
    await filterOf(page).press('Enter');
    const panel = page.getByRole('complementary', { name: 'Request' });
    await panel.getByText(old.id, { exact: true }).waitFor();
    expect([parameter(page, 'q'), parameter(page, 'range')]).toEqual([`id:${old.id}`, 'all']);
    await expect.poll(() => visibleRows(page).count()).toBe(1);
  });

  it('marks a syntax error in a filter, and keeps the rows', async () => {
    const page = await list();
    const before = await visibleRows(page).first().innerText();
    await filterOf(page).fill('model:gpt-4o latencyy:>2s');
    await filterOf(page).press('Enter');
    await page.getByText('Character 14').waitFor();
    expect(await page.locator('.filter-problem mark').innerText()).toBe('latencyy');
    expect(await page.locator('.filter-problem').innerText()).toContain('Did you mean "latency"?');
    expect(await visibleRows(page).first().innerText()).toBe(before);
    expect(parameter(page, 'q')).toBeNull();
  });

  it('suggests fields, then values with counts, by keyboard', async () => {
    const page = await list();
    await page.keyboard.press('/');
    await page.keyboard.type('prov');
    await page.getByRole('option', { name: 'provider:' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: 'provider:', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => filterOf(page).inputValue()).toBe('provider:');
    const value = page.getByRole('option', { name: /^openai-main/ });
    await value.waitFor();
    expect(await value.innerText()).toMatch(/\d/);
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => filterOf(page).inputValue()).toMatch(/^provider:[\w-]+ $/);
    await page.keyboard.press('Enter');
    await expect.poll(() => parameter(page, 'q')).toMatch(/^provider:[\w-]+$/);
  });

  it('offers no outdated suggestion while the gateway is slow', async () => {
    const page = await list();
    await page.keyboard.press('/');
    await page.getByRole('option', { name: 'status:' }).waitFor();
    // No new suggestions arrive from here on; the list contains the known ones that match.
    const requestedUrls: string[] = [];
    await page.route('**/api/suggest?*', (route) => void requestedUrls.push(route.request().url()));
    await page.keyboard.type('prov');
    await expect.poll(() => page.getByRole('option').allInnerTexts()).toEqual([expect.stringContaining('provider:')]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => filterOf(page).inputValue()).toBe('provider:');
    await expect.poll(() => requestedUrls.length).toBeGreaterThan(0);
    await page.keyboard.type('claude');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => parameter(page, 'q')).toBe('provider:claude');
  });

  it('keeps the row of a request in view when it is opened and closed', async () => {
    const page = await list();
    await page.evaluate('document.querySelector(".grid-box").scrollTo(0, 2000)');
    const id = rows[60]?.id ?? '';
    await page.locator(`a[href="/requests/${id}"]`).waitFor();
    await page.locator('.grid tr', { has: page.locator(`a[href="/requests/${id}"]`) }).click();
    const isSeen = async (): Promise<boolean> => {
      const [row, box] = await Promise.all([
        page.locator('.grid tr[aria-selected="true"]', { has: page.locator(`a[href="/requests/${id}"]`) }).boundingBox(),
        page.locator('.grid-box').boundingBox(),
      ]);
      return row !== null && box !== null && row.y >= box.y && row.y + row.height <= box.y + box.height + 1;
    };
    await page.locator('.grid.cards').waitFor();
    await expect.poll(isSeen).toBe(true);
    await page.reload();
    await page.locator('.grid.cards').waitFor();
    await expect.poll(isSeen).toBe(true);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.locator('.grid:not(.cards)').waitFor();
    await expect.poll(isSeen).toBe(true);
  });

  it('inserts new rows at the top, or counts them in a button while a row is selected', async () => {
    const page = await list();
    await expect.poll(() => server.watching()).toBe(1);
    const one = newRow(1);
    server.add(one);
    await page.locator(`a[href="/requests/${one.id}"]`).waitFor();
    await page.keyboard.press('j');
    await page.getByRole('row', { selected: true }).waitFor();
    server.add(newRow(2));
    server.add(newRow(3));
    const pill = page.getByRole('button', { name: '2 new', exact: true });
    await pill.waitFor();
    expect(await page.locator(`a[href="/requests/${newRow(3).id}"]`).count()).toBe(0);
    await pill.click();
    await page.locator(`a[href="/requests/${newRow(3).id}"]`).waitFor();
    // While paused, no requests are sent.
    await page.keyboard.press('l');
    await expect.poll(() => server.watching()).toBe(0);
  });

  it('after a restart, counts the rows that it missed, and asks only if some may be missing', async () => {
    const page = await list();
    await expect.poll(() => server.watching()).toBe(1);
    await page.keyboard.press('j');
    await page.getByRole('row', { selected: true }).waitFor();
    const missed = page.getByText('rows may be missing');
    server.add(newRow(1));
    await page.getByRole('button', { name: '1 new', exact: true }).waitFor();
    // The log contains a request a second after its end.
    let connectedAt = 0;
    page.on('request', (request) => void (request.url().includes('/api/live') && (connectedAt = Date.now())));
    await page.route('**/api/requests?*limit=500', async (route) => {
      const isEarly = Date.now() - connectedAt < 1000;
      const response = await route.fetch();
      const found = (await response.json()) as SearchPage;
      await route.fulfill({ response, json: isEarly ? { ...found, rows: found.rows.slice(1) } : found });
    });
    /** Adds rows while the page is not connected, and returns when it has asked for them. */
    const restart = async (from: number, to: number, connect = async (): Promise<void> => undefined): Promise<void> => {
      const asked = page.waitForResponse((response) => response.url().endsWith('limit=500'));
      server.restart();
      await expect.poll(() => server.watching()).toBe(0);
      for (let n = from; n < to; n += 1) server.add(newRow(n));
      await connect();
      await asked;
      await expect.poll(() => server.watching()).toBe(1);
    };
    await restart(2, 3);
    await page.getByRole('button', { name: '2 new', exact: true }).waitFor();
    // The page also opens new connections itself, for example when its tab becomes visible.
    await restart(3, 4, () => page.evaluate("document.dispatchEvent(new Event('visibilitychange'))"));
    await page.getByRole('button', { name: '3 new', exact: true }).waitFor();
    expect(await missed.count()).toBe(0);
    // Too many rows to find all of them with one call.
    await restart(4, 600);
    await missed.waitFor();
  });

  it('misses no row that ends during a slow response, and recovers when the gateway is reachable again', async () => {
    const page = await list();
    await expect.poll(() => server.watching()).toBe(1);
    await page.clock.install();
    const slow = Promise.withResolvers<void>();
    const read = Promise.withResolvers<void>();
    const followed = page.waitForResponse((response) => response.url().includes('/api/live?q=stream'));
    await page.route('**/api/requests?*', async (route) => {
      const response = await route.fetch();
      read.resolve();
      await slow.promise;
      await route.fulfill({ response });
    });
    await filterOf(page).fill('stream:true');
    await filterOf(page).press('Enter');
    await Promise.all([read.promise, followed]);
    const one = { ...newRow(4), stream: true };
    server.add(one);
    await page.locator(`a[href="/requests/${one.id}"]`).waitFor();
    slow.resolve();
    await expect.poll(() => page.locator('.grid-box').getAttribute('aria-busy')).toBe('false');
    expect(await page.locator(`a[href="/requests/${one.id}"]`).count()).toBe(1);

    await page.unroute('**/api/requests?*');
    await page.route('**/api/requests?*', (route) => route.abort());
    await filterOf(page).fill('stream:false');
    await filterOf(page).press('Enter');
    await page.getByText('The gateway can’t be reached').waitFor();
    await page.unroute('**/api/requests?*');
    await page.clock.runFor(3000);
    await page.getByText('The gateway can’t be reached').waitFor({ state: 'detached' });

    // A connection without events is reopened.
    const anew = page.waitForRequest((request) => request.url().includes('/api/live?q=stream'));
    await page.clock.fastForward(60_000);
    await anew;
  });

  it('shows only live rows that match the filter', async () => {
    const page = await list('?q=status%3A%3E%3D400');
    await expect.poll(() => server.watching()).toBe(1);
    const newRecord = { ...newRow(7), status: 200 };
    const bad = { ...newRow(8), status: 500 };
    server.add(newRecord);
    server.add(bad);
    await page.locator(`a[href="/requests/${bad.id}"]`).waitFor();
    expect(await page.locator(`a[href="/requests/${newRecord.id}"]`).count()).toBe(0);
  });

  it('sets the time range by dragging over the histogram, in place of times in the filter', async () => {
    const page = await list(`?q=${encodeURIComponent('since:24h latency:>0')}`);
    const plot = page.locator('.histogram .u-over');
    await plot.waitFor();
    const box = await plot.boundingBox();
    if (box === null) throw new Error('the histogram is not drawn');
    await page.mouse.move(box.x + box.width * 0.4, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 20, { steps: 5 });
    await page.mouse.up();
    await expect.poll(() => parameter(page, 'range')).toMatch(/^\d{4}-.*Z\/\d{4}-.*Z$/);
    const [since = 0, until = 0] = (parameter(page, 'range') ?? '').split('/').map((text) => Date.parse(text));
    expect(until - since).toBeGreaterThan(3 * 3_600_000);
    expect(until - since).toBeLessThan(7 * 3_600_000);
    expect(parameter(page, 'q')).toBe('latency:>0');
    await page.keyboard.press('t');
    const from = await page.getByRole('textbox', { name: 'From' }).inputValue();
    expect(await page.evaluate(`Date.parse(${JSON.stringify(from)})`)).toBe(Math.floor(since / 1000) * 1000);
    await page.keyboard.press('Escape');
    // A range that has ended has no live rows.
    expect(await page.getByRole('button', { name: 'Live' }).isDisabled()).toBe(true);
    await page.goBack();
    await expect.poll(() => page.getByRole('button', { name: 'Live' }).getAttribute('aria-pressed')).toBe('true');
    // A day that a user types is in the time zone of the browser.
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Tokyo' });
    await page.keyboard.press('t');
    await page.getByText('Times of this browser: UTC+09:00').waitFor();
    await page.getByRole('textbox', { name: 'From' }).fill('2026-11-20');
    await page.getByRole('button', { name: 'Show this range' }).click();
    await expect.poll(() => parameter(page, 'range')).toMatch(/^2026-11-19T15:00:00.000Z/);
  });

  it('stores columns, widths, views and the theme', async () => {
    const page = await list();
    await page.keyboard.press('c');
    await page.getByRole('checkbox', { name: 'meta.user' }).check();
    await page.getByRole('checkbox', { name: 'Config' }).uncheck();
    await page.getByRole('button', { name: 'Move Status left' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('separator', { name: 'Width of Route' }).focus();
    await page.keyboard.press('ArrowRight');
    await filterOf(page).fill('latency:>1s');
    await filterOf(page).press('Enter');
    await page.getByRole('button', { name: 'Save view…' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Mine');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Mine', exact: true }).waitFor();
    await page.getByRole('button', { name: /^Theme: system/ }).click();
    await page.getByRole('button', { name: /^Theme: light/ }).click();
    await page.reload();
    await visibleRows(page).first().waitFor();
    const heads = await page.locator('.grid th').allInnerTexts();
    expect(heads.slice(0, 2)).toEqual(['Status', 'Time']);
    expect(heads.slice(-2)).toEqual(['meta.user', 'Preview']);
    expect(heads).not.toContain('Config');
    expect(await page.getByRole('separator', { name: 'Width of Route' }).getAttribute('aria-valuenow')).toBe('196');
    expect(await page.getByRole('button', { name: 'Mine', exact: true }).getAttribute('aria-pressed')).toBe('true');
    expect(await page.evaluate('document.documentElement.dataset.scheme')).toBe('dark');
  });

  it('counts over the time range of the filter', async () => {
    const page = await list('?q=since%3A90d');
    await expect.poll(() => page.locator('.histogram').innerText()).toMatch(/^2,000 requests /);
    await page.locator('.histogram summary').click();
    const bars = page.locator('.histogram tbody tr');
    await expect.poll(() => bars.count()).toBeGreaterThan(20);
    expect(await bars.count()).toBeLessThan(100);
    await page.route('**/api/stats*', (route) =>
      route.fulfill({ status: 503, json: { error: { message: 'The log is away.', code: 'log_unavailable' } } }),
    );
    await filterOf(page).fill('status:>=400');
    await filterOf(page).press('Enter');
    await page.locator('.histogram', { hasText: 'The log is away.' }).waitFor();
  });

  it('counts although new rows arrive faster than the gateway can count', async () => {
    const page = await list();
    await expect.poll(() => server.watching()).toBe(1);
    await page.route('**/api/stats*', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 4000));
      await route.continue().catch(() => undefined);
    });
    await filterOf(page).fill('latency:>0');
    await filterOf(page).press('Enter');
    const traffic = setInterval(() => server.add(makeRow(2_000_000 + Date.now(), Date.now(), random)), 500);
    onTestFinished(() => clearInterval(traffic));
    await page.waitForResponse((response) => response.url().includes('/api/stats?q=latency'));
  });

  it('keeps the views that two tabs save', async () => {
    const page = await list('?q=status%3A500');
    const other = await page.context().newPage();
    await other.goto(`${server.url}/requests?q=latency%3A%3E0`);
    await visibleRows(other).first().waitFor();
    const save = async (tab: Page, name: string): Promise<void> => {
      await tab.getByRole('button', { name: 'Save view…' }).click();
      await tab.getByRole('textbox', { name: 'Name' }).fill(name);
      await tab.keyboard.press('Enter');
    };
    await save(page, 'Broken');
    await other.getByRole('button', { name: 'Broken', exact: true }).waitFor();
    await save(other, 'Missing');
    await page.getByRole('button', { name: 'Missing' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Missing', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Broken', exact: true }).count()).toBe(1);
  });

  it('deletes no view when a new one is saved', async () => {
    const page = await list('?q=status%3A500');
    await page.evaluate(() => {
      const views = Array.from({ length: 50 }, (_, i) => ({ name: `View ${i}`, filter: `model:m${i}` }));
      localStorage.setItem('gateway.views', JSON.stringify(views));
    });
    await page.reload();
    await page.getByRole('button', { name: 'Save view…' }).click();
    await page.getByText('This browser has 50 saved views').waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('One more');
    await page.keyboard.press('Enter');
    expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
    await page.reload();
    await page.getByRole('button', { name: 'View 49', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'View 0', exact: true }).count()).toBe(1);
    expect(await page.getByRole('button', { name: 'One more', exact: true }).count()).toBe(0);
  });

  it.each([360, 1280])('keeps menus and views inside a window of %i pixels', async (width) => {
    const { page } = await open(`${server.url}/requests?q=latency%3A%3E1s`, { width });
    const name = 'A view with a name that is longer than the others';
    const overhang = (): Promise<number> => page.evaluate('document.documentElement.scrollWidth - innerWidth');
    const opened = async (button: string): Promise<void> => {
      await page.getByRole('button', { name: button }).click();
      const box = await page.getByRole('dialog').boundingBox();
      expect([box !== null && box.x >= 0 && box.x + box.width <= width, await overhang()]).toEqual([true, 0]);
    };
    await opened('Save view…');
    await page.getByRole('textbox', { name: 'Name' }).fill(name);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: `Delete the view ${name.slice(0, 40)}` }).waitFor();
    expect(await overhang()).toBe(0);
    await opened('Columns');
    await page.keyboard.press('Escape');
    await opened('Last 24 hours');
    await page.context().close();
  });

  it('shows why the list is empty, and a button to clear the filter', async () => {
    const { page } = await open(`${server.url}/requests?q=${encodeURIComponent('status:418')}`);
    await page.getByText('No request matches').waitFor();
    await page.getByRole('button', { name: 'Clear the filter' }).last().click();
    await visibleRows(page).first().waitFor();
  });

  it('keeps the rows and shows the error if the gateway fails, and recovers', async () => {
    const page = await list();
    server.set({ failing: true });
    await filterOf(page).fill('stream:true');
    await filterOf(page).press('Enter');
    await page.getByText('The request log is not available.').waitFor();
    expect(await visibleRows(page).count()).toBeGreaterThan(5);
    server.set({ failing: false });
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('The request log is not available.').waitFor({ state: 'detached' });
    const newest = rows.find(({ stream }) => stream)?.id;
    await page.locator(`tr[aria-rowindex="2"] a[href="/requests/${newest}"]`).waitFor();
    await expect.poll(() => page.locator('.histogram').innerText()).toMatch(/^[\d,]+ requests /);
  });
});

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { barriersInBothThemes, barriersOf, noBarriers } from '../support/dashboard/barriers.ts';
import { type FixtureServer, startFixtureServer } from '../support/dashboard/fixture-server.ts';
import { hasBrowser, settled, useBrowser } from '../support/dashboard/page.ts';
import { absurdRow, makeRows } from '../support/dashboard/rows.ts';

const now = Date.now();
const records = makeRows(300, now, 1);
const trace = 'agent-42';
/** A trace of named, nested spans whose outermost parent is not recorded. */
const steps = records
  .slice(0, 3)
  .map((row, n) => ({ ...row, trace, span: `s${n}`, span_name: `Step ${n}`, parent: n === 0 ? 'agent' : `s${n - 1}` }));
const rows = [absurdRow(now), ...steps, ...records.slice(3)];
const first = rows[0]?.id ?? '';

interface State {
  readonly name: string;
  readonly path: string;
  readonly then?: (page: Page) => Promise<unknown>;
  /** Selector of an element that the finished page contains. */
  readonly shows: string;
}

const request = `/requests/${rows[5]?.id}`;
const states: readonly State[] = [
  { name: 'the overview', path: '/', shows: '.chart canvas' },
  { name: 'a chart as a table', path: '/', then: (page) => page.locator('.chart-table summary').first().click(), shows: '.chart-table td' },
  { name: 'the request list', path: '/requests', shows: '.grid td' },
  {
    name: 'the request list with suggestions',
    path: '/requests',
    then: (page) => page.getByLabel('Filter', { exact: true }).pressSequentially('mod'),
    shows: '[role=option]',
  },
  { name: 'a filter with a syntax error', path: '/requests?q=stats%3A5', shows: '.empty button' },
  { name: 'the column menu', path: '/requests', then: (page) => page.keyboard.press('c'), shows: '.popover' },
  { name: 'the time range menu', path: '/requests', then: (page) => page.keyboard.press('t'), shows: '.popover' },
  { name: 'a request next to the list', path: `/requests?open=${rows[5]?.id}`, shows: '.side-panel .timeline' },
  { name: 'a request', path: request, shows: '.said' },
  { name: 'the differences of a request', path: request, then: (page) => openTab(page, 'Request', 'Difference'), shows: '.difference li' },
  {
    name: 'the events of a request',
    path: request,
    then: (page) => page.getByRole('tab', { name: /Events/ }).click(),
    shows: '.events li',
  },
  { name: 'the facts of a request', path: request, then: (page) => openTab(page, 'Facts'), shows: '.all-facts' },
  { name: 'the replay dialog', path: request, then: (page) => page.keyboard.press('r'), shows: 'dialog[open]' },
  { name: 'a request with extreme values', path: `/requests/${first}`, shows: '.timeline' },
  { name: 'a trace', path: `/traces/${trace}`, shows: '.trace a' },
  { name: 'the list of keyboard shortcuts', path: '/', then: (page) => page.keyboard.press('?'), shows: 'dialog[open]' },
  { name: 'an unknown page', path: '/nowhere', shows: 'main a[href="/"]' },
];

const openTab = async (page: Page, ...names: string[]): Promise<void> => {
  for (const name of names) await page.getByRole('tab', { name, exact: true }).click();
};

describe.skipIf(!hasBrowser)('accessibility', () => {
  const open = useBrowser();
  let server: FixtureServer;
  let empty: FixtureServer;
  beforeAll(async () => {
    server = await startFixtureServer(rows);
    empty = await startFixtureServer([]);
  });
  afterAll(() => Promise.all([server.close(), empty.close()]));

  it.each(states)('$name has no violations in the light and dark theme', async ({ path, then, shows }) => {
    const { page, complaints } = await open(server.url + path);
    await settled(page);
    await then?.(page);
    await page.locator(shows).first().waitFor();
    await settled(page);
    expect(await barriersInBothThemes(page)).toEqual(noBarriers);
    expect(complaints.filter((text) => !text.includes('status of 400'))).toEqual([]);
    await page.context().close();
  });

  it('the state of controls and the bars are visible with the colours of the user', async () => {
    const { page } = await open(`${server.url}/requests?open=${rows[5]?.id}`);
    await page.locator('.timeline .track i').first().waitFor();
    await page.emulateMedia({ forcedColors: 'active' });
    const stylesOf = (selector: string, property: string): Promise<string> =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).getPropertyValue('${property}')`);
    const differ = async (property: string, one: string, other: string): Promise<void> =>
      expect(await stylesOf(one, property), one).not.toBe(await stylesOf(other, property));
    await differ('background-color', '.timeline .track i', '.timeline');
    await differ('background-color', '.bar i', '.grid');
    await differ('background-color', '.chip[aria-pressed=true]', '.chip[aria-pressed=false]');
    await differ('background-color', '.segments [aria-selected=true]', '.segments [aria-selected=false]');
    await differ('background-color', '.nav [aria-current]', '.nav a:not([aria-current])');
    await differ('border-bottom-color', '.tabs [aria-selected=true]', '.tabs [aria-selected=false]');
    await differ('outline-style', '.grid tr[aria-selected=true]', '.grid tr[aria-selected=false]');
    await page.context().close();
  });

  it('controls without words and the list have names', async () => {
    const { page } = await open(`${server.url}/requests`);
    await page.getByRole('table', { name: 'Requests' }).waitFor();
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await page.context().close();
  });

  it('paper has the light theme, without the navigation', async () => {
    const { page } = await open(server.url + request, { theme: 'dark' });
    await page.locator('.timeline').waitFor();
    await page.emulateMedia({ media: 'print' });
    await page.locator(':root[data-scheme="light"]').waitFor({ state: 'attached' });
    expect(await page.getByRole('navigation', { name: 'Pages' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: /Copy|Replay|Export/ }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'All requests' }).count()).toBe(0);
    await page.emulateMedia({ media: 'screen' });
    await page.locator(':root[data-scheme="dark"]').waitFor({ state: 'attached' });
    await page.context().close();
  });

  it.each(['light', 'dark'] as const)('the empty overview and the sign-in have no violations, %s theme', async (theme) => {
    const { page } = await open(`${empty.url}/`, { theme });
    await page.getByText('No requests yet').waitFor();
    expect(await barriersOf(page)).toEqual([]);
    empty.set({ role: null });
    await page.reload();
    await page.getByLabel('Admin token').waitFor();
    expect(await barriersOf(page)).toEqual([]);
    empty.set({ role: 'admin' });
    await page.context().close();
  });

  it.each(['/', '/requests', `/requests/${first}`, `/requests/${rows[5]?.id}`, `/traces/${rows[0]?.trace}`])(
    '%s needs no horizontal scrolling from 360 to 2560 pixels',
    async (path) => {
      const { page } = await open(server.url + path, { width: 360 });
      await settled(page);
      for (const width of [360, 640, 1280, 2560]) {
        await page.setViewportSize({ width, height: 800 });
        await expect
          .poll(() => page.evaluate('document.documentElement.scrollWidth - innerWidth'), { message: `${width} px` })
          .toBeLessThanOrEqual(0);
      }
      await page.context().close();
    },
  );
});

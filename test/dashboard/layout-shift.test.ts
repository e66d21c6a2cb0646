import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FixtureServer, startFixtureServer } from '../support/dashboard/fixture-server.ts';
import { hasBrowser, settled, useBrowser } from '../support/dashboard/page.ts';
import { makeRows } from '../support/dashboard/rows.ts';
import { someServing } from '../support/dashboard/serving-views.ts';

const now = Date.now();
const rows = makeRows(300, now, 1);
const id = rows[5]?.id;

/** The cumulative layout shift without user input. */
const shifts = `new Promise((done) => {
  let sum = 0;
  const add = (list) => { for (const entry of list) if (!entry.hadRecentInput) sum += entry.value; };
  const observer = new PerformanceObserver((list) => add(list.getEntries()));
  observer.observe({ type: 'layout-shift', buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => { add(observer.takeRecords()); done(sum); }, 100)));
})`;

describe.skipIf(!hasBrowser)('layout of all pages', () => {
  const open = useBrowser();
  let server: FixtureServer;
  beforeAll(async () => {
    server = await startFixtureServer(rows, someServing(now));
  });
  afterAll(() => server.close());

  const paths = [
    '/',
    '/requests',
    `/requests?open=${id}`,
    `/requests/${id}`,
    `/traces/${rows[5]?.trace}`,
    '/configs',
    '/catalog',
    '/keys',
    '/system',
  ];
  it.each(paths.flatMap((path) => [360, 1280].map((width) => ({ path, width }))))(
    'does not shift while $path loads at $width px',
    async ({ path, width }) => {
      const { page } = await open(server.url + path, { width });
      await settled(page);
      expect(await page.evaluate(shifts)).toBeLessThan(0.02);
      await page.context().close();
    },
  );

  it.each(['/', '/requests', `/requests/${id}`, '/keys', '/system'])('does not shift while %s waits for a slow gateway', async (path) => {
    const { page } = await open('about:blank', { width: 360 });
    const slow = Promise.withResolvers<void>();
    await page.route(/\/api\/(?!session|live)/, async (route) => {
      await slow.promise;
      await route.continue();
    });
    await page.goto(server.url + path);
    await page.getByText('No response yet').waitFor();
    expect(await page.evaluate(shifts)).toBeLessThan(0.005);
    slow.resolve();
    await settled(page);
    await page.context().close();
  });

  it.each([360, 641, 720, 800, 900, 1024, 1100, 1200, 1280])('has no table that needs horizontal scrolling at %i px', async (width) => {
    const { page } = await open(server.url, { width });
    const overflowScript = `[document.documentElement, ...document.querySelectorAll('.table-box, .grid-box')]
      .filter((box) => box.scrollWidth > box.clientWidth).map(({ className }) => className)`;
    for (const path of paths) {
      await page.goto(server.url + path);
      await settled(page);
      expect([path, await page.evaluate(overflowScript)]).toEqual([path, []]);
    }
    await page.context().close();
  });

  /** Differences of the middles of two elements, in pixels. */
  const middles = (one: string, other: string): string => `(() => {
    const middle = (selector) => { const { top, height } = document.querySelector(selector).getBoundingClientRect(); return top + height / 2; };
    return Math.abs(middle('${one}') - middle('${other}'));
  })()`;
  const lefts = (selector: string): string => `[...document.querySelectorAll('${selector}')].map((element) => {
    const text = document.createRange();
    text.selectNodeContents(element);
    return Math.round(text.getBoundingClientRect().left);
  })`;

  it('aligns badges, tables and values with the text next to them', async () => {
    const { page } = await open(`${server.url}/prompts/welcome`);
    await page.locator('.panel td .badge').first().waitFor();
    expect(await page.evaluate(middles('.panel td .badge', '.panel tbody tr'))).toBeLessThan(1.5);
    const edges = (await page.evaluate(
      lefts('.panel:has(> .body:not(.flush) .table) :is(h2, dt, th:first-child, td:first-child)'),
    )) as number[];
    expect(new Set(edges).size).toBe(1);

    await page.goto(`${server.url}/requests`);
    await page.locator('.histogram summary').waitFor();
    expect(await page.evaluate(middles('.histogram > p', '.histogram summary'))).toBeLessThan(1.5);

    await page.goto(`${server.url}/requests/${id}`);
    await page.getByRole('tab', { name: 'Facts' }).click();
    await page.getByRole('heading', { name: 'Metadata' }).waitFor();
    const values = (await page.evaluate(lefts('.all-facts dt + dd:not(:has(.tag, .row))'))) as number[];
    expect([values.length > 10, new Set(values).size]).toEqual([true, 1]);
    await page.context().close();
  });

  it('shows the whole file and line in which a key is defined', async () => {
    const [key] = someServing(now).keys;
    if (key === undefined) throw new Error('there is no key');
    const at = { file: '/etc/gateway/keys.d/app-web-of-customers-in-europe.yaml', line: 2 };
    const other = await startFixtureServer(rows, { ...someServing(now), keys: [{ ...key, at }] });
    const { page } = await open(`${other.url}/keys`);
    await page.locator('.key-name .written-at').waitFor();
    const hidden = `(() => { const { scrollHeight, clientHeight } = document.querySelector('.key-name .written-at'); return scrollHeight - clientHeight; })()`;
    expect(await page.evaluate(hidden)).toBeLessThanOrEqual(0);
    await page.context().close();
    await other.close();
  });

  it('does not break the line number of a key in a narrow window', async () => {
    const [key] = someServing(now).keys;
    if (key === undefined) throw new Error('there is no key');
    const keys = Array.from({ length: 40 }, (_, i) => ({
      ...key,
      name: `k${i}`,
      at: { file: `keys.d/${'team'.repeat(15).slice(0, i + 10)}.yaml`, line: 12_345 },
    }));
    const other = await startFixtureServer(rows, { ...someServing(now), keys });
    const { page } = await open(`${other.url}/keys`);
    await page.setViewportSize({ width: 360, height: 800 });
    await page.locator('.key-name .written-at').first().waitFor();
    const broken = `[...document.querySelectorAll('.key-name .written-at')].filter((place) => {
      const text = [...place.childNodes].map((node) => (node.nodeType === 3 ? node : node.firstChild)).at(-1);
      const range = document.createRange();
      range.setStart(text, text.data.length - 5);
      range.setEnd(text, text.data.length);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
    }).length`;
    expect(await page.evaluate(broken)).toBe(0);
    const lines = `new Set([...document.querySelectorAll('.key-name .written-at')].map((place) => place.textContent.includes('.yaml:12345')))`;
    expect(await page.evaluate(`[...${lines}]`)).toEqual([true]);
    await page.context().close();
    await other.close();
  });
});

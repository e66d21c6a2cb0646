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
});

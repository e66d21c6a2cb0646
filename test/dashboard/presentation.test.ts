import { describe, expect, it } from 'vitest';
import type { LogRow } from '../../src/core/logs/row.ts';
import { unknownStore } from '../../src/core/logs/unknown-store.ts';
import { startFixtureServer } from '../support/dashboard/fixture-server.ts';
import { hasBrowser, settled, useBrowser } from '../support/dashboard/page.ts';
import { absurdRow, makeRows } from '../support/dashboard/rows.ts';
import { someServing } from '../support/dashboard/serving-views.ts';

const now = Date.now();
const rows = makeRows(100, now, 1);
const row = (changes: Partial<LogRow>): LogRow => ({ ...(rows[5] as LogRow), id: 'req_01JD3K8ZQ4M6N7P8R9S0PRESENT', at: now, ...changes });

/** True if the text of an element is cut. */
const isCut = (element: unknown): boolean => {
  const { scrollWidth, clientWidth } = element as { scrollWidth: number; clientWidth: number };
  return scrollWidth > clientWidth;
};

/** The left edge of the first text of an element, in pixels. */
const leftOfText = (element: unknown): number => {
  const { ownerDocument } = element as { ownerDocument: { createRange(): TextRange } };
  const range = ownerDocument.createRange();
  range.selectNodeContents(element);
  return Math.round(range.getBoundingClientRect().left);
};

interface TextRange {
  selectNodeContents(of: unknown): void;
  getBoundingClientRect(): { readonly left: number };
}

describe.skipIf(!hasBrowser)('a request on its page', () => {
  const open = useBrowser();

  it('shows the whole name of a target that could not be reached', async () => {
    const hops = [{ provider: 'openai-main', model: 'gpt-4o-mini', said: 'unreachable' }];
    const server = await startFixtureServer([row({ hops, fallback: true, attempts: 2 })]);
    const { page } = await open(`${server.url}/requests/${row({}).id}`);
    const bar = page.getByRole('button', { name: /unreachable openai-main\/gpt-4o-mini/ });
    expect(await bar.locator('.cut', { hasText: 'openai-main' }).evaluate(isCut)).toBe(false);
    await page.setViewportSize({ width: 360, height: 800 });
    const lefts = await Promise.all(['.bar-name', '.bar-reason'].map((part) => page.locator(part).first().evaluate(leftOfText)));
    expect(lefts[1]).toBe(lefts[0]);
    await server.close();
  });

  it('names the parts of a response that is not streamed, and the colour of plugins', async () => {
    const server = await startFixtureServer([row({ stream: false, ttft: 400, latency: 900 })]);
    const { page } = await open(`${server.url}/requests/${row({}).id}`);
    await page.locator('.timeline').waitFor();
    expect(await page.locator('.timeline .legend').innerText()).toMatch(/^plugin\s+connect\s+wait\s+body$/);
    await server.close();
  });

  it('has the same state in its heading and in the error of a stream that broke', async () => {
    const broken = row({ status: 200, end: 'fault', error: 'stream_interrupted', message: 'The connection broke.' });
    const server = await startFixtureServer([broken]);
    const { page } = await open(`${server.url}/requests/${broken.id}`);
    await page.locator('.story .badge.bad').first().waitFor();
    expect(await page.locator('.story > .notice').getAttribute('class')).toBe('notice bad');
    await server.close();
  });

  it('offers no choice of views if there is only one, and keeps a text from right to left near its author', async () => {
    const server = await startFixtureServer(rows);
    const { page } = await open('about:blank');
    await page.route('**/body?part=response', (route) => route.fulfill({ json: { status: 'success' } }));
    await page.goto(`${server.url}/requests/${rows[5]?.id}`);
    await page.getByText('"success"').waitFor();
    expect(await page.getByRole('tab').allInnerTexts()).toEqual(['Response', 'Request', 'Facts']);
    const choices = [{ index: 0, message: { role: 'assistant', content: 'مرحبا' }, finish_reason: 'stop' }];
    await page.route('**/body?part=response', (route) => route.fulfill({ json: { object: 'chat.completion', choices } }));
    await page.reload();
    const text = page.locator('.said-text', { hasText: 'مرحبا' });
    expect((await text.boundingBox())?.width).toBeLessThan(200);
    await server.close();
  });
});

describe.skipIf(!hasBrowser)('texts and numbers', () => {
  const open = useBrowser();
  /** Rounded left edges of the elements. */
  const leftsOf = (selector: string): string =>
    `[...new Set([...document.querySelectorAll('${selector}')].map((found) => Math.round(found.getBoundingClientRect().left)))]`;

  it('of a table begin and end at one line if its rows are cards', async () => {
    const server = await startFixtureServer([absurdRow(now), ...rows], someServing(now));
    const { page } = await open(server.url, { width: 360, height: 740 });
    await page.locator('.charts .table.cards').waitFor();
    const paddings = `[...new Set([...document.querySelectorAll('.charts .table.cards td')].map((cell) => getComputedStyle(cell).paddingInline))]`;
    expect(await page.evaluate(paddings)).toEqual(['16px']);
    await page.goto(`${server.url}/catalog`);
    await page.locator('.provider-grid .table.cards').waitFor();
    expect(await page.evaluate(leftsOf('.provider-grid .table.cards, .provider-grid .table.cards td'))).toHaveLength(1);
    await server.close();
  });

  it('of a provider are in columns, and none is cut', async () => {
    const serving = someServing(now);
    const providers = serving.providers.map((provider) => ({ ...provider, cost_today_usd: '0.00001234' }));
    const server = await startFixtureServer([], { ...serving, providers });
    const { page } = await open(`${server.url}/catalog`);
    const cost = page.locator('.mini-figures dd.cut').first();
    await cost.waitFor();
    expect([await cost.innerText(), await cost.evaluate(isCut)]).toEqual(['$0.00001234', false]);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate(leftsOf('.mini-figures dt'))).toHaveLength(3);
    expect(await cost.evaluate(isCut)).toBe(false);
    await server.close();
  });

  it('from right to left begin where their column does', async () => {
    const server = await startFixtureServer([row({ key: 'دعم', preview: 'مرحبا' })]);
    const { page } = await open(`${server.url}/requests`, { width: 2200 });
    await page.locator('.c-preview .cut').waitFor();
    for (const column of ['Key', 'Preview']) {
      const heading = page.getByRole('columnheader', { name: column }).locator('.cut');
      const lefts = await Promise.all([heading, page.locator(`td.c-${column.toLowerCase()} .cut`)].map((one) => one.evaluate(leftOfText)));
      expect(Math.abs((lefts[0] ?? 0) - (lefts[1] ?? 0)), column).toBeLessThan(3);
    }
    await server.close();
  });

  it('of the preview have room in a window of 1280 pixels', async () => {
    const server = await startFixtureServer([row({})]);
    const { page } = await open(`${server.url}/requests`);
    const preview = page.locator('.c-preview .cut');
    await preview.waitFor();
    expect((await preview.boundingBox())?.width).toBeGreaterThanOrEqual(110);
    await server.close();
  });

  it('of a long value leave room for its name', async () => {
    const serving = someServing(now);
    const path = 'prompts.welcome.messages[0].content';
    const values = [{ path, value: 'You greet customers in a friendly tone. '.repeat(40), origin: { file: 'gateway.yaml', line: 12 } }];
    const server = await startFixtureServer([], { ...serving, config: { ...serving.config, values } });
    const { page } = await open(`${server.url}/system/configuration`);
    const name = page.getByRole('cell', { name: path }).locator('code');
    expect((await name.boundingBox())?.height).toBeLessThan(24);
    await page.setViewportSize({ width: 360, height: 740 });
    await page.locator('.table.cards').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await server.close();
  });

  it('of a file and line are broken before the name of the file', async () => {
    const serving = someServing(now);
    const keys = serving.keys.map((key) => ({ ...key, limits: null }));
    const server = await startFixtureServer([], { ...serving, keys });
    const { page } = await open(`${server.url}/keys`, { width: 1024 });
    const origin = page.locator('.key-name .written-at', { hasText: 'batch.yaml' });
    await origin.waitFor();
    expect((await origin.boundingBox())?.height).toBeGreaterThan(30);
    const tops = `(() => {
      const label = [...document.querySelectorAll('.key-name .written-at')].find(({ textContent }) => textContent === 'keys.d/batch.yaml:2');
      const range = document.createRange();
      range.selectNodeContents(label);
      range.setStart(label.querySelector('wbr') ?? label, 0);
      return [...new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))].length;
    })()`;
    expect(await page.evaluate(tops)).toBe(1);
    await server.close();
  });

  it('of facts have lines of one height, and an empty one says so', async () => {
    const server = await startFixtureServer([row({ meta: { team: '', user: 'u1' } })]);
    const { page } = await open(`${server.url}/requests/${row({}).id}`);
    await page.getByRole('tab', { name: 'Facts' }).click();
    const metadata = page.locator('section.stack', { has: page.getByRole('heading', { name: 'Metadata' }) });
    expect(await metadata.locator('dd').allInnerTexts()).toEqual(['(empty)', 'u1']);
    expect(await metadata.getByRole('link').allInnerTexts()).toEqual(['u1']);
    const heights = `new Set([...document.querySelector('.all-facts .facts').querySelectorAll('dd')].map((value) => Math.round(value.getBoundingClientRect().height)))`;
    expect(await page.evaluate(`Math.max(...${heights}) - Math.min(...${heights})`)).toBeLessThanOrEqual(1);
    await server.close();
  });

  it('that are masked in a header are dots', async () => {
    const server = await startFixtureServer([row({})]);
    const { page } = await open(`${server.url}/requests/${row({}).id}`);
    await page.getByRole('tab', { name: 'Facts' }).click();
    const sent = page.locator('section.stack', { has: page.getByRole('heading', { name: 'Headers from the client' }) });
    expect(await sent.innerText()).toMatch(/authorization\s+•••/);
    await server.close();
  });
});

describe.skipIf(!hasBrowser)('other pages', () => {
  const open = useBrowser();

  it('say that a chart has no values, and name the colour of a single group', async () => {
    const free = rows.map((one) => ({ ...one, status: 200, model: 'local', cost: '0', stream: false, ttft: null }));
    const server = await startFixtureServer(free);
    const { page } = await open(server.url);
    const panel = (title: string) => page.locator('.panel', { has: page.getByRole('heading', { name: title, exact: true }) });
    await panel('Cost').getByText('No cost in this range').waitFor();
    await panel('Time to first token').getByText('No streamed responses in this range').waitFor();
    expect(await panel('Cost').locator('canvas').count()).toBe(0);
    expect(await panel('Cost').locator('.legend').innerText()).toBe('local');
    expect(await panel('Requests by status').locator('.legend').innerText()).toBe('2xx');
    await server.close();
  });

  it('colour the changed lines of a diff, not the names of its files', async () => {
    const server = await startFixtureServer([], someServing(now));
    const { page } = await open(`${server.url}/system/revisions`);
    await page.getByRole('button', { name: 'Diff from the previous revision' }).click();
    const texts = (kind: string) => page.locator(`.code .${kind}`).allInnerTexts();
    expect((await texts('file-name')).map((line) => line.trim())).toEqual(['--- configs/support.yaml', '+++ configs/support.yaml']);
    expect((await texts('added')).map((line) => line.trim())).toEqual(['+          temperature: 0.2', '+      - azure-eu/gpt-4o-mini']);
    await server.close();
  });

  it('say what it means that a provider is disabled', async () => {
    const serving = someServing(now);
    const providers = serving.providers.map((provider) => ({ ...provider, enabled: false, problem: 'enabled: false' }));
    const server = await startFixtureServer([], { ...serving, providers });
    const { page } = await open(`${server.url}/catalog`);
    const notice = page.locator('.provider-grid .notice.info').first();
    expect(await notice.innerText()).toMatch(/^Gets no requests: enabled: false\s+Fallbacks and load balancing leave it out/);
    await server.close();
  });

  it('show the whole status of a request in a wide window', async () => {
    const server = await startFixtureServer([row({ status: 400, end: 'fault', error: 'all_targets_failed', fallback: true, attempts: 2 })]);
    const { page } = await open(`${server.url}/requests`, { width: 2200 });
    const status = page.locator('.c-status .badge .cut').first();
    await status.waitFor();
    expect([await status.innerText(), await status.evaluate(isCut)]).toEqual(['400 ↷ rejected', false]);
    await server.close();
  });

  it('show the providers, and no empty charts, if the figures cannot be read', async () => {
    const server = await startFixtureServer(rows, someServing(now));
    const { page } = await open('about:blank');
    const error = { code: 'log_unavailable', message: 'The request log cannot be read: connection refused.' };
    await page.route('**/api/stats?*', (route) => route.fulfill({ status: 503, json: { error } }));
    await page.goto(server.url);
    await page.getByRole('alert').getByText('The request log cannot be read').waitFor();
    await settled(page);
    expect(await page.getByRole('heading').allInnerTexts()).toEqual(['Overview', 'Providers']);
    await server.close();
  });

  it('show how full the spool is while the size of the log is not known', async () => {
    const server = await startFixtureServer(rows);
    const spool = { bytes: 512 * 1024 ** 2, limit: 1024 ** 3, behind_ms: 60_000 };
    const problems = ['Records wait in the spool: connection refused'];
    const size = { records: 0, bytes: 0, oldest: null, dropped: 0, dropped_bodies: 0 };
    server.set({ status: { store: { kind: unknownStore, ...size, problems, spool } } });
    const { page } = await open(`${server.url}/system`);
    const log = page.getByRole('region', { name: 'Request log' });
    await log.getByText('512 MB of 1 GB (50 %), 1 min behind').waitFor();
    expect(await log.innerText()).toContain('not known: the store has not reported it yet');
    await server.close();
  });

  it('have their buttons at the same places in all cards and rows', async () => {
    const serving = someServing(now);
    const at = { file: '/etc/gateway/configurations/providers-of-europe.yaml', line: 22 };
    const providers = serving.providers.map((provider, i) => (i === 0 ? { ...provider, at } : provider));
    const keys = serving.keys.map((key) => ({ ...key, requests_today: null, cost_month_usd: null, revoked: null }));
    const server = await startFixtureServer([], { ...serving, providers, keys });
    const { page } = await open(`${server.url}/catalog`);
    await page.getByRole('button', { name: /^Test/ }).first().waitFor();
    const distances = `new Set([...document.querySelectorAll('.provider-grid .panel > header button')].map((button) => {
      const header = button.closest('header').getBoundingClientRect(); const { right, top } = button.getBoundingClientRect();
      return Math.round(header.right - right) + ' ' + Math.round(top - header.top);
    })).size`;
    expect(await page.evaluate(distances)).toBe(1);
    await page.goto(`${server.url}/keys`);
    await page.locator('.key-actions').first().waitFor();
    const heights = `[...new Set([...document.querySelectorAll('.key-actions')].map((box) => Math.round(box.getBoundingClientRect().height)))]`;
    // With limits, which need some of the width, the buttons are below each other in all rows.
    expect(await page.evaluate(heights)).toHaveLength(1);
    await page.setViewportSize({ width: 1600, height: 900 });
    await expect.poll(async () => await page.evaluate(heights)).toEqual([expect.toSatisfy((height: number) => height < 40)]);
    await server.close();
  });
});

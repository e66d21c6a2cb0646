import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { figuresOf } from '../support/dashboard/figures.ts';
import { type FixtureServer, startFixtureServer } from '../support/dashboard/fixture-server.ts';
import { hasBrowser, useBrowser } from '../support/dashboard/page.ts';
import { absurdRow, makeRow, makeRows, randomFrom } from '../support/dashboard/rows.ts';

interface Canvas {
  getContext(kind: '2d'): { getImageData(x: number, y: number, width: number, height: number): { readonly data: Uint8ClampedArray } };
}

describe.skipIf(!hasBrowser)('overview page', () => {
  const open = useBrowser();
  let server: FixtureServer;
  beforeEach(async () => {
    server = await startFixtureServer(makeRows(600, Date.now(), 1));
  });
  afterEach(() => server.close());

  it('links each figure to the requests that it counts', async () => {
    const { page } = await open(server.url);
    await page.getByRole('link', { name: /Error rate/ }).click();
    await page.locator('.grid tbody tr:not(.space)').first().waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe('error:*');
    const texts = await page.locator('.c-status').allInnerTexts();
    expect(texts.every((text) => /[45]\d\d/.test(text))).toBe(true);
  });

  it('shows fallbacks and retries by reason, with links to their requests', async () => {
    const rows = makeRows(60, Date.now(), 1).map((row, n) => ({ ...row, reason: n % 3 === 0 ? ['429', 'timeout'][n % 2]! : null }));
    const retried = await startFixtureServer(rows);
    try {
      const { page } = await open(retried.url);
      const panel = page.locator('.panel', { has: page.getByRole('heading', { name: 'Fallbacks and retries by reason' }) });
      await panel.locator('.legend a').first().waitFor();
      expect(await panel.locator('.legend a').allInnerTexts()).toEqual(['429', 'timeout']);
      await panel.getByRole('link', { name: 'timeout' }).click();
      expect(new URL(page.url()).searchParams.get('q')).toBe('reason:timeout');
    } finally {
      await retried.close();
    }
  });

  it('shows the numbers of each chart as a table', async () => {
    const { page } = await open(server.url);
    await page.locator('.chart').first().waitFor();
    const without = page.locator('.chart', { hasNot: page.locator('.chart-table') });
    await expect.poll(() => without.count()).toBe(0);
    await page.locator('.chart-table summary').first().click();
    const table = page.getByRole('region', { name: 'Requests by status' });
    await expect.poll(() => table.locator('tbody tr').count()).toBeGreaterThan(50);
  });

  it('draws a point if a chart has only one value', async () => {
    const one = await startFixtureServer(makeRows(1, Date.now(), 1));
    try {
      const { page } = await open(one.url);
      const canvas = page.locator('.chart', { hasText: 'p99' }).locator('canvas');
      await canvas.waitFor();
      // Axes and labels are grey; values have a colour.
      const coloured = (): Promise<boolean> =>
        canvas.evaluate((canvasElement) => {
          const { data } = (canvasElement as unknown as Canvas).getContext('2d').getImageData(0, 0, 4000, 400);
          for (let i = 0; i < data.length; i += 4) {
            const [red = 0, green = 0, , opacity = 0] = data.subarray(i, i + 4);
            if (opacity > 200 && Math.abs(red - green) > 50) return true;
          }
          return false;
        });
      await expect.poll(coloured).toBe(true);
    } finally {
      await one.close();
    }
  });

  it('restores the scroll position when going back, and opens a new page at its top', async () => {
    const { page } = await open(server.url, { height: 500 });
    const top = (): Promise<number> => page.evaluate('Math.round(scrollY)');
    await page.locator('.figures').waitFor();
    // Uses the mouse wheel, and waits until scrolling has ended.
    await page.mouse.move(640, 300);
    await page.mouse.wheel(0, 500);
    await expect.poll(() => page.evaluate('history.state?.top')).toBe(500);
    await page.evaluate("document.querySelector('.legend a').click()");
    await page.locator('.grid').waitFor();
    expect(await top()).toBe(0);
    await page.goBack();
    await page.locator('.figures').waitFor();
    await expect.poll(top).toBe(500);
    await page.reload();
    await page.locator('.figures').waitFor();
    await expect.poll(top).toBe(500);
    // A page that is as high and rendered immediately.
    await page.route('**/api/**', (route) => route.abort());
    await page.evaluate("document.querySelector('#main').style.minHeight = '3000px'");
    await page.keyboard.press('g');
    await page.keyboard.press('k');
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    expect(await top()).toBe(0);
  });

  it('recovers by itself when the gateway is reachable again', async () => {
    const { page } = await open(server.url);
    await page.clock.install();
    await page.route('**/api/prompts*', (route) => route.abort());
    await page.getByRole('link', { name: 'Prompts' }).click();
    await page.getByText('The gateway can’t be reached').waitFor();
    await page.unroute('**/api/prompts*');
    await page.clock.runFor(3000);
    await page.getByText('The gateway can’t be reached').waitFor({ state: 'detached' });
    // Returning to the tab polls immediately.
    const again = page.waitForRequest('**/api/prompts*');
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await again;
  });

  it('waits for a slow response without sending the request again', async () => {
    const { page } = await open(`${server.url}/catalog`);
    await page.clock.install();
    const slow = Promise.withResolvers<void>();
    let requestCount = 0;
    await page.route('**/api/status*', async (route) => {
      requestCount += 1;
      await slow.promise;
      await route.continue();
    });
    await page.getByRole('link', { name: 'System' }).click();
    await expect.poll(() => requestCount).toBe(1);
    await page.clock.runFor(10_000);
    expect(requestCount).toBe(1);
    slow.resolve();
    await page.getByRole('heading', { name: 'Process' }).waitFor();
    expect(requestCount).toBe(1);
  });

  it('lists providers with problems first', async () => {
    const last = { at: Date.now() - 600_000, message: 'The connection was reset.', id: 'req_01JD3K8ZQ4M6N7P8R9S0000001' };
    const provider = (slug: string, state: 'idle' | 'down') => ({
      slug,
      state,
      figures: figuresOf([]),
      last_error: state === 'down' ? last : null,
    });
    const idle = Array.from({ length: 100 }, (_, i) => provider(`idle-${i}`, 'idle'));
    server.set({ status: { providers: [...idle, provider('broken', 'down')], providers_total: 101 } });
    const { page } = await open(server.url);
    await page.getByRole('link', { name: '89 more in the Catalog' }).waitFor();
    const cards = await page.locator('.provider-card').allInnerTexts();
    // The error can be older than the figures.
    expect([cards[0], cards[1]?.split('\n')[0]]).toEqual([
      expect.stringMatching(/^broken\n[\s\S]*10 min ago: The connection was reset\.$/),
      'idle-0',
    ]);
  });

  it('shows that the last reload failed, and the position of the error', async () => {
    const problem = {
      level: 'error',
      code: 'unknown-key',
      message: 'unknown key "retrys"',
      hint: 'did you mean "retry"?',
      file: 'gateway.yaml',
      line: 9,
      column: 9,
    } as const;
    server.set({
      status: {
        last_reload: {
          at: Date.now(),
          result: 'rejected',
          revision: '8f3c2a1',
          diagnostics: [problem],
          errors: 1,
          warnings: 0,
          reason: null,
        },
      },
    });
    const { page } = await open(server.url);
    const banner = page.getByRole('alert');
    await banner.waitFor();
    expect(await banner.innerText()).toContain('gateway.yaml:9:9 unknown key "retrys"');
    // Not every error has a position in a file.
    server.set({
      status: {
        last_reload: {
          at: Date.now(),
          result: 'rejected',
          revision: '8f3c2a1',
          diagnostics: [],
          errors: 0,
          warnings: 0,
          reason: 'The loader ended.',
        },
      },
    });
    await banner.getByText('The loader ended.').waitFor();
  });

  it('names both times of an hour that the clock shows twice', async () => {
    const { page } = await open('about:blank');
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setTimezoneOverride', { timezoneId: 'Europe/Berlin' });
    await page.goto(`${server.url}/?range=2026-10-25T00:30:00Z/2026-10-25T01:30:00Z`);
    await page.getByText('10-25 02:30:00 UTC+02:00 – 02:30:00 UTC+01:00').click();
    expect(await page.getByRole('textbox', { name: 'From' }).inputValue()).toBe('2026-10-25T02:30:00+02:00');
    await page.getByRole('textbox', { name: 'To' }).fill('2026-10-25T02:45:00+01:00');
    await page.getByRole('button', { name: 'Show this range' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('range')).toBe('2026-10-25T00:30:00.000Z/2026-10-25T01:45:00.000Z');
  });

  it('shows an error in place of a response with an unexpected form, and recovers', async () => {
    const { page } = await open(server.url);
    await page.locator('.figures').waitFor();
    await page.route('**/api/keys?*', (route) => route.fulfill({ json: { keys: [{ name: 'app-web' }], total: 1 } }));
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('alert').getByText('This cannot be shown').waitFor();
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    await page.unroute('**/api/keys?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('No API keys yet').waitFor();
    // Without a part of the page for it, the error replaces the page.
    await page.route('**/api/stats*', (route) => route.fulfill({ json: { groups: [] } }));
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('alert').getByText('This cannot be shown').waitFor();
    await page.getByRole('link', { name: 'Catalog' }).click();
    await page.getByRole('heading', { name: 'Catalog' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('distinguishes a model called "other" or "none" from all others and none', async () => {
    const modelOf = (i: number): string | null => (i < 300 ? 'other' : i < 350 ? null : i < 400 ? 'none' : `model-${i % 20}`);
    const rows = makeRows(600, Date.now(), 1).map((row, i) => ({ ...row, model: modelOf(i) }));
    const many = await startFixtureServer(rows);
    const { page } = await open(many.url);
    const table = page.getByRole('table', { name: 'Figures by model' });
    await table.getByRole('row', { name: /^all others 170 / }).waitFor();
    await table.getByRole('row', { name: /^none 50 / }).waitFor();
    await table.getByRole('row', { name: /^no model 50 / }).waitFor();
    expect(await table.getByRole('row').count()).toBe(8);
    expect(await table.getByRole('link', { name: 'all others' }).count()).toBe(0);
    await table.getByRole('link', { name: 'other', exact: true }).click();
    await page.locator('.grid tbody tr:not(.space)').first().waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe('model:other');
    await many.close();
  });

  it('keeps the grouping of the cost when going back', async () => {
    const { page } = await open(server.url);
    await page.getByRole('button', { name: 'Key', exact: true }).click();
    await page.getByRole('link', { name: 'app-web', exact: true }).first().click();
    await page.locator('.grid tbody tr:not(.space)').first().waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe('key:app-web');
    await page.goBack();
    await page.getByRole('heading', { name: 'By key' }).waitFor();
  });
});

describe.skipIf(!hasBrowser)('the overview without requests', () => {
  const open = useBrowser();

  it('shows an example of a first request, and shows the request when it arrives', async () => {
    const server = await startFixtureServer([]);
    const { page } = await open(server.url);
    await page.getByText('No requests yet').waitFor();
    const command = await page.locator('.code').innerText();
    expect(command).toContain('curl http://127.0.0.1:8787/v1/chat/completions');
    expect(command).toContain('x-gateway-api-key');
    await expect.poll(() => server.watching()).toBe(1);
    server.add(makeRow(1, Date.now(), randomFrom(1)));
    await page.getByText('Error rate').waitFor();
    await server.close();
  });
});

describe.skipIf(!hasBrowser)('request page', () => {
  const open = useBrowser();
  let server: FixtureServer;
  const rows = makeRows(50, Date.now(), 1);
  const plain = rows.find((row) => row.error === null && row.stream && row.ttft !== null) ?? rows[0];
  beforeEach(async () => {
    server = await startFixtureServer([absurdRow(Date.now()), ...rows]);
  });
  afterEach(() => server.close());

  it('shows the response as text, raw, and as events with times', async () => {
    const { page } = await open(`${server.url}/requests/${plain?.id}`);
    await page.getByText('To reset the password, open **Settings**').waitFor();
    await page.getByText('Thinking (').click();
    await page.getByText('The user wants steps. Keep it short.').waitFor();
    expect(await page.locator('.said').innerText()).toContain('find_customer');
    await page.getByRole('tab', { name: 'Raw' }).click();
    await page.getByText('data: [DONE]').waitFor();
    await page.getByRole('tab', { name: /^Events \(\d+\)/ }).click();
    const first = await page.locator('.events li').first().innerText();
    expect(first).toContain('ms');
    expect(first).toContain('"role":"assistant"');
  });

  it('saves a binary body with its exact bytes', async () => {
    const { page } = await open(`${server.url}/requests/${plain?.id}`);
    await page.getByText('To reset the password, open **Settings**').waitFor();
    await page.route('**/body?part=response', (route) => route.fulfill({ body: Buffer.from([0xff, 0xfb, 0x90, 0]) }));
    await page.reload();
    await page.getByText('This body is not text').waitFor();
    expect(await page.getByRole('link', { name: 'Save it' }).getAttribute('href')).toContain(`${plain?.id}/body?part=response`);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const { bodies } = JSON.parse(await readFile(await (await saved).path(), 'utf8')) as { bodies: Record<string, unknown> };
    expect(bodies).toMatchObject({ request: expect.stringContaining('"model"'), response: { base64: '//uQAA==' } });
  });

  it('colours JSON only', async () => {
    const { page } = await open(`${server.url}/requests/${plain?.id}`);
    for (const [body, coloured] of [
      ['[media audio/mpeg, 576 bytes, sha256 9ee091]', false],
      ['[{"n": 1}, {"cut', true],
    ] as const) {
      await page.route('**/body?part=request', (route) => route.fulfill({ body }));
      await page.reload();
      await page.getByRole('tab', { name: 'Request', exact: true }).click();
      await page
        .locator('.code pre', { hasText: body.slice(0, 2) })
        .first()
        .waitFor();
      expect((await page.locator('.code:visible .j-other').count()) > 0).toBe(coloured);
    }
  });

  it("shows the client's request, the provider's request, and the cause of each difference", async () => {
    const { page } = await open(`${server.url}/requests/${plain?.id}`);
    await page.getByRole('tab', { name: 'Request', exact: true }).click();
    await page.getByText('"temperature": 0.9').waitFor();
    await page.getByRole('tab', { name: 'To the provider' }).click();
    await page.getByText('"temperature": 0.2').waitFor();
    await page.getByRole('tab', { name: 'Difference' }).click();
    const entry = page.locator('.difference li', { hasText: 'temperature' });
    expect(await entry.innerText()).toContain('override_params');
    expect(await entry.innerText()).toContain('configs/support.yaml:10');
  });

  it.each(['/requests/', '/requests?range=all&open='])(
    '%s prints all parts of a request, whichever tab is open, and nothing else',
    async (path) => {
      const { page } = await open(`${server.url}${path}${plain?.id}`);
      const parts = [
        page.locator('.timeline'),
        page.getByText('To reset the password, open **Settings**'),
        page.getByText('The user wants steps. Keep it short.'),
        page.getByText('"temperature": 0.9'),
        page.locator('h3', { hasText: 'Tokens and cost' }),
      ];
      for (const part of parts) await part.waitFor({ state: 'attached' });
      expect(await Promise.all(parts.map((part) => part.isVisible()))).toEqual([true, true, false, false, false]);
      await page.emulateMedia({ media: 'print' });
      for (const part of parts) await part.waitFor();
      expect(await page.getByRole('tab').allInnerTexts()).toEqual(['Readable', 'From the client']);
      expect(await page.getByRole('table', { name: 'Requests' }).count()).toBe(0);
      // The part that is printed last is not cut.
      const bottom = await page.locator('.all-facts').evaluate((facts) => facts.getBoundingClientRect().bottom);
      expect(await page.evaluate('document.documentElement.scrollHeight')).toBeGreaterThanOrEqual(Math.floor(bottom));
    },
  );

  it('breaks facts with very long names', async () => {
    for (const width of [360, 1280]) {
      const { page } = await open(`${server.url}/requests/req_01JD3K8ZQ4M6N7P8R9S0ABSURD`, { width });
      await page.getByRole('tab', { name: 'Facts' }).click();
      await page.getByRole('heading', { name: 'Tokens and cost' }).waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      await page.context().close();
    }
  });

  it('shows facts in the words of the documentation', async () => {
    const { page } = await open(`${server.url}/requests/${plain?.id}`);
    await page.getByRole('tab', { name: 'Facts' }).click();
    const facts = await page.locator('.all-facts').innerText();
    expect(facts).toMatch(/end\s+done/);
    expect(facts).toMatch(/price of output\s+\$0.60 per million tokens\s+price of image\s+\$0.04 per image/);
    expect(facts).toContain(`upstream id\n${plain?.upstream_id}\n`);
    expect(facts).not.toMatch(/cache\s+DISABLED|path through the gateway|whole/);
  });

  it('shows the reason of each attempt, and selects an attempt by clicking its bar', async () => {
    const fallback = rows.find((row) => row.fallback);
    const { page } = await open(`${server.url}/requests/${fallback?.id}`);
    await page.getByText('"Rate limit reached", retry-after 20 s is too long').waitFor();
    // The legend has the parts that the bars have.
    const titles = await page.locator('.timeline .track i').evaluateAll((bars) => bars.map((bar) => bar.getAttribute('title') ?? ''));
    for (const word of await page.locator('.timeline .legend span').allInnerTexts())
      expect(titles.some((title) => title.startsWith(word))).toBe(true);
    await page.getByRole('button', { name: /429 openai-main\/gpt-4o-mini/ }).click();
    await page.getByRole('region', { name: 'Attempt 1' }).waitFor();
    await page.getByRole('tab', { name: 'To the provider', selected: true }).waitFor();
  });

  it('never renders text of models or clients as HTML', async () => {
    const { page } = await open(`${server.url}/requests`);
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    await page.getByText('<script>alert(1)</script>').first().waitFor();
    await page.goto(`${server.url}/requests/req_01JD3K8ZQ4M6N7P8R9S0ABSURD`);
    await page.getByText('<script>alert(1)</script>').first().waitFor();
    expect(dialogs).toEqual([]);
    expect(await page.locator('main script, main img[src="x"]').count()).toBe(0);
  });

  it('hides contents from a viewer with a notice', async () => {
    server.set({ role: 'viewer' });
    const { page } = await open(`${server.url}/requests/${plain?.id}`);
    await page.getByRole('tab', { name: 'Request', exact: true }).click();
    await page.getByText('Contents are for operators').filter({ visible: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Replay…' }).count()).toBe(0);
  });

  it('links traces that are no part of a path to a list', async () => {
    const { page } = await open(`${server.url}/requests`);
    await page.route(`**/api/requests/${plain?.id}`, async (route) => {
      const response = await route.fetch();
      const stored = (await response.json()) as { record: { trace: { trace_id: string } } };
      stored.record.trace.trace_id = '..';
      await route.fulfill({ response, json: stored });
    });
    await page.goto(`${server.url}/requests/${plain?.id}`);
    await page.getByRole('link', { name: 'trace ..' }).click();
    await page.getByRole('combobox', { name: 'Filter' }).waitFor();
    expect(new URL(page.url()).search).toBe('?q=trace%3A..&range=all');
  });

  it('shows an error for an unknown request', async () => {
    const { page } = await open(`${server.url}/requests/req_nowhere`);
    await page.getByRole('alert').getByText('There is no record "req_nowhere"').waitFor();
  });
});

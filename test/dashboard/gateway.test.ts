import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stats } from '../../src/core/logs/reader.ts';
import { adminUrl, call } from '../admin/client.ts';
import { hasBrowser, settled, useBrowser } from '../support/dashboard/page.ts';
import { send, sendCut, startBusyGateway } from '../support/dashboard/traffic.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

describe.skipIf(!hasBrowser)('the dashboard of a running gateway', () => {
  const open = useBrowser();
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startBusyGateway();
  });
  afterAll(() => gateway?.close());

  it('shows the first request live, with all its details', async () => {
    const { page, complaints } = await open(`${adminUrl(gateway)}/requests`);
    await page.getByText('No requests yet').waitFor();
    const command = await page.locator('.code').innerText();
    const body = /'(\{.*\})'/.exec(command)?.[1] ?? '';
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect([response.status, command]).toEqual([200, expect.stringContaining(gateway.url)]);
    await response.text();
    const id = await send(gateway, 2);
    await page.locator(`a[href="/requests/${id}"]`).waitFor();
    await page.locator(`a[href="/requests/${id}"]`).click();
    const panel = page.getByRole('complementary', { name: 'Request' });
    await panel.getByText('Open Settings and press Reset.').waitFor();
    expect(await panel.locator('.timeline').innerText()).toMatch(
      /429[\s\S]*openai-main\/rate-limited[\s\S]*200[\s\S]*azure-eu\/gpt-4o-mini/,
    );
    await panel.getByRole('tab', { name: /^Events/ }).click();
    await expect.poll(() => panel.locator('.events li').count()).toBeGreaterThan(5);
    await panel.getByRole('tab', { name: 'Request', exact: true }).click();
    await panel.getByText('"temperature": 0.9').waitFor();
    await panel.getByRole('tab', { name: 'To the provider' }).click();
    await panel.getByText('"temperature": 0.2').waitFor();
    await panel.getByRole('tab', { name: 'Difference' }).click();
    const temperature = panel.locator('.difference li', { hasText: 'temperature' });
    expect(await temperature.innerText()).toContain('override_params');
    expect(complaints).toEqual([]);
  });

  it('shows new rows from the live tail without another query', async () => {
    await send(gateway, 0);
    const { page, complaints } = await open(`${adminUrl(gateway)}/requests`);
    await page.locator('.grid tbody tr:not(.space)').first().waitFor();
    await page.getByRole('button', { name: 'Live' }).waitFor();
    const followed = page.waitForResponse((response) => response.url().includes('/api/live'));
    await page.reload();
    await followed;
    await page.locator('.grid tbody tr:not(.space)').first().waitFor();
    await page.route('**/api/requests?*', (route) => route.abort());
    const id = await send(gateway, 1);
    await page.locator(`a[href="/requests/${id}"]`).waitFor();
    expect(complaints.filter((text) => !text.includes('ERR_FAILED'))).toEqual([]);
  });

  it('keeps receiving live rows in a hidden tab and after an error response', async () => {
    const { page } = await open(`${adminUrl(gateway)}/requests`);
    await page.clock.install();
    await page.reload();
    const rowOf = (id: string) => page.locator(`a[href="/requests/${id}"]`);
    // Long enough for a row to reach a page that is connected.
    const delivered = () => new Promise((resolve) => setTimeout(resolve, 500));
    await rowOf(await send(gateway, 0)).waitFor();
    await page.route('**/api/requests?*', (route) => route.abort());
    const waitForState = (state: 'hidden' | 'visible') =>
      page.evaluate(
        `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
      );
    await waitForState('hidden');
    const unseen = await send(gateway, 1);
    await delivered();
    await page.clock.runFor(1000);
    expect(await rowOf(unseen).count()).toBe(0);
    await waitForState('visible');
    await rowOf(unseen).waitFor();

    await waitForState('hidden');
    await page.route('**/api/live*', (route) => route.fulfill({ status: 503 }), { times: 1 });
    await waitForState('visible');
    await page.getByText('Live rows are interrupted').waitFor();
    const missed = await send(gateway, 1);
    await page.clock.runFor(6000);
    await rowOf(missed).waitFor();
    await page.getByText('Live rows are interrupted').waitFor({ state: 'detached' });

    // Requests that end during a pause are shown after it.
    await page.keyboard.press('l');
    await page.locator('button[aria-pressed="false"]', { hasText: 'Live' }).waitFor();
    const paused = await send(gateway, 1);
    await delivered();
    await page.clock.runFor(1000);
    expect(await rowOf(paused).count()).toBe(0);
    await page.keyboard.press('l');
    await rowOf(paused).waitFor();
  });

  it('says why the gateway sends no live rows, and continues when it does', async () => {
    await send(gateway, 0);
    const readers = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const abort = new AbortController();
        // Kept, because a response that is collected as garbage closes its connection.
        const response = await fetch(`${adminUrl(gateway)}/api/live`, { signal: abort.signal });
        return { abort, response };
      }),
    );
    const { page } = await open(`${adminUrl(gateway)}/requests`);
    await page.getByText('No live rows. "local" already reads the live log 8 times. Close one of them.').waitFor();
    readers.forEach(({ abort }) => abort.abort());
    await page.getByText('No live rows').waitFor({ state: 'detached' });
    const id = await send(gateway, 1);
    await page.locator(`a[href="/requests/${id}"]`).waitFor();
  });

  it('filters, counts and suggests from the stored records', async () => {
    await Promise.all(Array.from({ length: 12 }, (_, n) => send(gateway, n)));
    const { page, complaints } = await open(`${adminUrl(gateway)}/requests?q=status%3A500`);
    await expect.poll(() => page.locator('.c-status').count()).toBe(2);
    await expect.poll(() => page.locator('.histogram').innerText()).toMatch(/^2 requests /);
    const filter = page.getByRole('combobox', { name: 'Filter' });
    await filter.fill('config:su');
    await page.getByRole('option', { name: /^support/ }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('shows the spans of a trace as a tree with their names', async () => {
    const step = async (id: string, headers: Record<string, string>): Promise<void> => {
      const response = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-portkey-trace-id': 'trip 42', 'x-portkey-span-id': id, ...headers },
        body: '{"model": "@azure-eu/gpt-4o-mini", "messages": [{"role": "user", "content": "hi"}]}',
      });
      await response.text();
    };
    await step('plan', { 'x-portkey-span-name': 'Plan' });
    await step('search', { 'x-portkey-span-name': 'n'.repeat(10_000), 'x-portkey-parent-span-id': 'plan' });
    await step('rank', { 'x-portkey-parent-span-id': 'search' });
    await step('review', { 'x-portkey-parent-span-id': 'reviewer' });
    const { page, complaints } = await open(`${adminUrl(gateway)}/traces/trip%2042`);
    // Records are stored in batches.
    await expect.poll(async () => (await page.reload(), await settled(page), await page.locator('.trace a').count())).toBe(4);
    const steps = await page.locator('.trace-name').allInnerTexts();
    expect(steps.map((text) => text.split(/\s*\n\s*/).slice(0, -1))).toEqual([
      ['level 1', 'Plan'],
      ['level 2', `${'n'.repeat(128)}…`],
      ['level 3', 'rank'],
      ['reviewer'],
      ['level 2', 'review'],
    ]);
    await page.getByRole('link', { name: /Plan/ }).click();
    await page.getByRole('tab', { name: 'Facts' }).click();
    await page.getByRole('link', { name: 'Plan', exact: true }).click();
    await expect.poll(() => page.locator('.c-status').count()).toBe(1);
    expect(new URL(page.url()).searchParams.get('q')).toBe('span_name:Plan');
    expect(complaints).toEqual([]);
  });

  it('explains a recorded request with the current configuration', async () => {
    const id = await send(gateway, 0);
    const { page, complaints } = await open(`${adminUrl(gateway)}/requests/${id}`);
    await page.getByRole('button', { name: 'Explain now' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('goes here').waitFor();
    expect(await dialog.innerText()).toContain('override_params');
    expect(complaints).toEqual([]);
  });

  it('replays a recorded request and links to the new one', async () => {
    const id = await send(gateway, 0);
    const { page } = await open(`${adminUrl(gateway)}/requests/${id}`);
    await page.getByRole('button', { name: 'Replay…' }).click();
    await page.getByRole('button', { name: 'Send it', exact: true }).click();
    await page.getByRole('link', { name: 'Open the new request' }).waitFor();
  });

  it('reports the result of a replay whose dialog was closed', async () => {
    const id = await send(gateway, 0);
    const { page } = await open(`${adminUrl(gateway)}/requests/${id}`);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/api/replay', (route) => held.then(() => route.continue()));
    await page.getByRole('button', { name: 'Replay…' }).click();
    await page.getByRole('button', { name: 'Send it', exact: true }).click();
    await page.getByRole('button', { name: 'Sending…' }).waitFor();
    await page.keyboard.press('Escape');
    release();
    await page.getByText('The replay ended with status 200.').waitFor();
    await page.getByRole('link', { name: 'Open the request' }).click();
    expect(page.url()).not.toContain(id);
  });

  it('shows figures and charts that link to the requests they count', async () => {
    await sendCut(gateway);
    const failed = gateway.records.filter(({ error }) => error !== null).length;
    const stored = async () => ((await call(adminUrl(gateway), '/api/stats?q=error%3A*')).json as Stats).total.requests;
    await expect.poll(stored).toBe(failed);
    const { page, complaints } = await open(`${adminUrl(gateway)}/`);
    await expect.poll(() => page.locator('.figures').innerText()).toMatch(new RegExp(`Requests\\s+${gateway.records.length}\\b`));
    await page.locator('.chart canvas').first().waitFor();
    await expect.poll(() => page.getByRole('link', { name: /Error rate/ }).innerText()).toMatch(new RegExp(`(?<![\\d,])${failed} failed`));
    await expect.poll(() => page.locator('.provider-card').count()).toBe(2);
    await page.getByRole('link', { name: /Error rate/ }).click();
    await expect.poll(() => page.locator('.histogram').innerText()).toMatch(new RegExp(`^${failed} requests `));
    // The provider responded with status 200 but did not complete the stream.
    await page.locator('tr', { hasText: 'gpt-4o-cut' }).first().click();
    await page.locator('.timeline .badge.bad', { hasText: '200 broken' }).waitFor();
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(!hasBrowser)('the dashboard of a gateway with limited logging', () => {
  const open = useBrowser();

  it('shows that the request log is off, and the setting that enables it', async () => {
    const gateway = await startTestGateway(
      'version: 1\nserver: {admin: {open: true}}\nlogging: {requests: off}\nproviders: {mock: {type: mock}}\n',
      { admin: true },
    );
    for (const path of ['/', '/requests']) {
      const { page } = await open(adminUrl(gateway) + path);
      await page.getByText('The request log is switched off').waitFor();
      await page.locator('.code', { hasText: 'bodies: redacted' }).waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
      expect(await page.locator('.skeleton').count()).toBe(0);
      await page.context().close();
    }
    await gateway.close();
  });

  it('shows which setting kept a body out of the log, and where it is set', async () => {
    const gateway = await startTestGateway(
      'version: 1\nserver: {admin: {open: true}}\nlogging:\n  requests: {bodies: metadata}\nproviders: {mock: {type: mock}}\n',
      { admin: true },
    );
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"model": "@mock/echo", "messages": [{"role": "user", "content": "hi"}]}',
    });
    await response.text();
    const id = response.headers.get('x-request-id') ?? '';
    const { page } = await open(`${adminUrl(gateway)}/requests/${id}`);
    // Records are stored in batches.
    const reloaded = async (): Promise<number> => {
      await page.reload();
      await settled(page);
      return page.locator('.timeline').count();
    };
    await expect.poll(reloaded).toBe(1);
    const absent = page.locator('.empty:visible');
    await absent.getByText('logging.requests.bodies: metadata').waitFor();
    await absent.getByText('gateway.yaml:4').waitFor();
    await gateway.close();
  });
});

/** Ends the session and clicks. The sign-in dialog may open before, because the page calls the API at any time. */
async function endSessionWith(target: Locator): Promise<void> {
  const element = await target.elementHandle();
  await target.page().context().clearCookies();
  await element?.dispatchEvent('click');
}

describe.skipIf(!hasBrowser)('signing in to the dashboard', () => {
  const open = useBrowser();
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway(
      `version: 1
server:
  admin:
    token: a-token-that-is-long-enough-for-this
    users:
      reader: {role: viewer, token: another-token-that-is-long-enough}
      second: {role: admin, token: a-third-token-that-is-long-enough}
providers: {mock: {type: mock}}
`,
      { admin: true },
    );
  });
  afterAll(() => gateway?.close());

  it('rejects a wrong token, accepts the right one, keeps the session on reload, and signs out', async () => {
    const { page } = await open(adminUrl(gateway));
    await page.getByLabel('Admin token').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('The token is not valid.').waitFor();
    await page.getByLabel('Admin token').fill('a-token-that-is-long-enough-for-this');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Admin token').waitFor();
    expect(await page.getByText('Your session has ended').count()).toBe(0);
  });

  it('accepts a sign-in link that is pasted into an open page only once', async () => {
    const base = adminUrl(gateway);
    const { json } = await call(base, '/api/session/link', { method: 'POST', token: 'a-token-that-is-long-enough-for-this', body: {} });
    const link = `${base}/#t=${(json as { link: string }).link}`;
    const { page } = await open(base);
    await page.getByLabel('Admin token').waitFor();
    await page.goto(link);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(page.url()).toBe(`${base}/`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Admin token').waitFor();
    await page.goto(link);
    await page.getByRole('alert').getByText('The link was used already').waitFor();
    await page.getByLabel('Admin token').fill('a-token-that-is-long-enough-for-this');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Admin token').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('shows the user and the role of the session that all tabs share', async () => {
    const { page } = await open(`${adminUrl(gateway)}/system`);
    await page.getByLabel('Admin token').fill('a-token-that-is-long-enough-for-this');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Reload' }).waitFor();
    // Without signing out before, because the page may call the API at any time.
    const signInAs = async (token: string): Promise<void> => {
      const headers = { 'x-gateway-admin': '1' };
      const response = await page.context().request.post(`${adminUrl(gateway)}/api/session`, { headers, data: { token } });
      expect(response.status()).toBe(200);
    };
    await signInAs('another-token-that-is-long-enough');
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByText('reader · viewer').waitFor();
    expect(await page.getByRole('button', { name: 'Reload' }).count()).toBe(0);
    await signInAs('a-token-that-is-long-enough-for-this');
    await page.evaluate("window.dispatchEvent(new Event('focus'))");
    await page.getByRole('button', { name: 'Reload' }).waitFor();
    const other = await page.context().newPage();
    await other.goto(adminUrl(gateway));
    await other.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Admin token').waitFor();
    // Not even behind the sign-in.
    expect(await page.locator('#main').count()).toBe(0);
  });

  it('keeps the draft of a plan for its user only', async () => {
    const { page } = await open(`${adminUrl(gateway)}/system/plan`);
    const area = page.getByRole('textbox', { name: 'Text of gateway.yaml' });
    const signIn = async (token: string): Promise<void> => {
      await page.getByLabel('Admin token').fill(token);
      await page.keyboard.press('Enter');
      await area.waitFor();
    };
    const isKept = (): Promise<unknown> => page.evaluate("(sessionStorage.getItem('gateway.drafts') ?? '').includes('sk-of-the-first')");
    await signIn('a-token-that-is-long-enough-for-this');
    await area.fill('api_key: sk-of-the-first');
    await page.reload();
    await expect.poll(() => area.inputValue()).toBe('api_key: sk-of-the-first');
    await endSessionWith(page.getByRole('tab', { name: 'Now' }));
    await page.getByText('Your session has ended').waitFor();
    expect(await isKept()).toBe(true);
    await page.getByLabel('Admin token').fill('a-third-token-that-is-long-enough');
    await page.keyboard.press('Enter');
    await page.getByText('second · admin').waitFor();
    await page.getByRole('tab', { name: 'Plan' }).click();
    await expect.poll(() => area.inputValue()).toContain('version: 1');
    expect(await isKept()).toBe(false);
    await area.fill('api_key: sk-of-the-first');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Admin token').waitFor();
    expect(await isKept()).toBe(false);
    await signIn('a-third-token-that-is-long-enough');
    expect(await area.inputValue()).toContain('version: 1');
    await area.fill('api_key: sk-of-the-first');
    await page.context().clearCookies();
    await page.reload();
    await page.getByLabel('Admin token').waitFor();
    expect(await isKept()).toBe(false);
  });

  it('shows that a session has ended, and returns to the page as it was after signing in again', async () => {
    const { page } = await open(`${adminUrl(gateway)}/catalog`);
    const signIn = async (): Promise<void> => {
      await expect.poll(() => page.evaluate('document.activeElement?.type')).toBe('password');
      await page.keyboard.type('a-token-that-is-long-enough-for-this');
      await page.keyboard.press('Enter');
    };
    await signIn();
    await page.getByRole('heading', { name: 'Catalog' }).waitFor();
    await endSessionWith(page.getByRole('link', { name: 'Prompts' }));
    await page.getByText('Your session has ended').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await signIn();
    await page.getByRole('heading', { name: 'Prompts', exact: true }).waitFor();
    await page.getByText('No prompts yet').waitFor();
    await page.getByRole('link', { name: 'Configs' }).click();
    await page.getByLabel('User message').fill('what I was writing');
    await endSessionWith(page.getByRole('button', { name: 'Explain', exact: true }));
    await page.getByText('Your session has ended').waitFor();
    const other = await page.context().newPage();
    await other.goto(`${adminUrl(gateway)}/catalog`);
    await other.getByLabel('Admin token').waitFor();
    await signIn();
    await page.getByText('Your session has ended').waitFor({ state: 'detached' });
    await other.evaluate("window.dispatchEvent(new Event('focus'))");
    await other.getByRole('heading', { name: 'Catalog' }).waitFor();
    expect(await page.getByLabel('User message').inputValue()).toBe('what I was writing');
    expect(await page.getByText('Sign in first.').count()).toBe(0);
    await page.getByRole('button', { name: 'Explain', exact: true }).click();
    await page.getByText('What would happen', { exact: true }).waitFor();
  });
});

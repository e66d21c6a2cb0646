import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { barriersInBothThemes, noBarriers } from '../support/dashboard/barriers.ts';
import { type FixtureServer, startFixtureServer } from '../support/dashboard/fixture-server.ts';
import { hasBrowser, settled, useBrowser } from '../support/dashboard/page.ts';
import { makeRows } from '../support/dashboard/rows.ts';
import { diagnosed } from '../support/dashboard/serving-files.ts';
import { absurdServing, someServing } from '../support/dashboard/serving-views.ts';
import { emptyServing } from '../support/dashboard/serving.ts';

const paths = [
  '/configs',
  '/catalog',
  '/prompts',
  '/keys',
  '/system',
  '/system/revisions',
  '/system/configuration',
  '/system/plan',
] as const;

const clicks =
  (...names: readonly (string | RegExp)[]) =>
  async (page: Page): Promise<void> => {
    for (const name of names) await page.getByRole('button', { name }).first().click();
  };

interface State {
  readonly name: string;
  readonly path: string;
  readonly then: (page: Page) => Promise<unknown>;
  /** Selector of an element that the finished page contains. */
  readonly shows: string;
}

const states: readonly State[] = [
  { name: 'an explanation of a request', path: '/configs/by-plan', then: clicks(/^Explain$/), shows: '[aria-label=Explanation] .panel' },
  { name: 'the result of a provider test', path: '/catalog', then: clicks('Test'), shows: '.panel .notice' },
  { name: 'the result of a prompt', path: '/prompts/welcome', then: clicks('Run it'), shows: 'a:has-text("Open the request")' },
  { name: 'the form for a new key', path: '/keys', then: clicks('Create a key'), shows: 'dialog[open]' },
  { name: 'a new secret', path: '/keys', then: clicks('Rotate… app-web', 'Issue a new secret'), shows: '[aria-label=Secret]' },
  { name: 'the confirmation before a key is revoked', path: '/keys', then: clicks('Revoke… app-web'), shows: 'dialog[open]' },
  { name: 'the diff of a revision', path: '/system/revisions', then: clicks('Diff from the previous revision'), shows: '.code' },
  { name: 'the confirmation before a rollback', path: '/system/revisions', then: clicks('Roll back…'), shows: 'dialog[open]' },
  { name: 'the origin of a value', path: '/system/configuration', then: clicks('gateway.yaml:5'), shows: 'dialog[open] mark' },
];

describe.skipIf(!hasBrowser)('configuration pages', () => {
  const open = useBrowser();
  const now = Date.now();
  let servers: Readonly<Record<'usual' | 'empty' | 'absurd' | 'broken', FixtureServer>>;
  beforeAll(async () => {
    const rows = makeRows(100, now, 1).map((row) => ({ ...row, prompt: 'welcome' }));
    const invalidConfig = {
      ...someServing(now),
      plan: () => ({ ok: false, revision: '', ...diagnosed, against: '91bd0e7c', changes: [], values: [], restart_needed: [], diff: '' }),
    };
    servers = {
      usual: await startFixtureServer(rows, someServing(now)),
      empty: await startFixtureServer([], emptyServing()),
      absurd: await startFixtureServer(rows, absurdServing(now)),
      broken: await startFixtureServer(rows, invalidConfig),
    };
    const last_reload = { at: now, result: 'rejected', revision: '91bd0e7c', ...diagnosed, reason: null } as const;
    servers.broken.set({ status: { last_reload, restart_needed: ['server.listen'], rolled_back_to: '8f3c2a10' } });
  });
  afterAll(() => Promise.all(Object.values(servers).map((server) => server.close())));

  const plain = (['usual', 'empty', 'broken', 'absurd'] as const).flatMap((data) => paths.map((path) => ({ data, path })));
  /** Checks that both themes have no accessibility violation and that the browser reports no error. */
  const isOpenToAll = async ({ page, complaints }: Awaited<ReturnType<typeof open>>): Promise<void> => {
    expect(await barriersInBothThemes(page)).toEqual(noBarriers);
    expect(complaints).toEqual([]);
  };

  it('cuts very long prefixes of keys within their card', async () => {
    const { page } = await open(`${servers.absurd.url}/keys`);
    const secret = page.locator('.cards .secrets code').first();
    await secret.waitFor();
    const isWithinCell = await secret.evaluate(
      (element) => element.getBoundingClientRect().left >= (element.closest('td')?.getBoundingClientRect().left ?? 0),
    );
    expect(isWithinCell).toBe(true);
    await page.context().close();
  });

  it.each(plain)('fit any window width and are accessible: $path, $data data', async ({ data, path }) => {
    const opened = await open(servers[data].url + path);
    const { page } = opened;
    await settled(page);
    for (const width of [360, 1280, 2560]) {
      await page.setViewportSize({ width, height: 800 });
      await expect.poll(() => page.evaluate('document.documentElement.scrollWidth - innerWidth'), { message: `${width} px` }).toBe(0);
    }
    // HTML in values is shown as text.
    expect(await page.locator('main img').count()).toBe(0);
    await isOpenToAll(opened);
    await page.context().close();
  });

  it.each(states)('are accessible with $name', async ({ path, then, shows }) => {
    const opened = await open(servers.usual.url + path);
    await settled(opened.page);
    await then(opened.page);
    await opened.page.locator(shows).first().waitFor();
    await settled(opened.page);
    await isOpenToAll(opened);
    await opened.page.context().close();
  });

  it.each([
    ['/configs', 'No named configs yet', 'strategy: {mode: fallback'],
    ['/catalog', 'No providers yet', 'api_key: ${env:OPENAI_API_KEY}'],
    ['/prompts', 'No prompts yet', '{{product}}'],
    ['/keys', 'No API keys yet', 'hash: sha256:'],
  ])('show an example of the YAML to write if there is no data: %s', async (path, title, yaml) => {
    const { page } = await open(servers.empty.url + path);
    await page.getByText(title).waitFor();
    expect(await page.locator('.code').first().innerText()).toContain(yaml);
    await page.context().close();
  });

  it.each([
    ['empty', '/prompts/gone', 'There is no prompt “gone”'],
    ['usual', '/prompts/gone', 'There is no prompt “gone”'],
    ['empty', '/configs/gone', 'There is no config “gone”'],
    ['usual', '/configs/gone', 'There is no config “gone”'],
    ['empty', '/catalog/gone', 'There is no provider “gone”'],
    ['usual', '/catalog/gone', 'There is no provider “gone”'],
    ['usual', '/keys/gone', 'There is no such page'],
    ['usual', '/system/gone', 'There is no such page'],
    ['usual', '/system/revisions/gone', 'There is no such page'],
    ['usual', '/traces/gone', 'No request of this trace is stored'],
  ] as const)('show that a name is unknown: %s data, %s', async (data, path, text) => {
    const { page } = await open(servers[data].url + path);
    await page.getByRole('heading', { name: text }).waitFor();
    expect(await page.getByRole('heading', { name: /yet$/ }).count()).toBe(0);
    await page.context().close();
  });

  const hidden = [
    { role: 'viewer', path: '/configs', names: ['Explain'] },
    { role: 'viewer', path: '/catalog', names: ['Test'] },
    { role: 'viewer', path: '/prompts', names: ['Run it'] },
    { role: 'viewer', path: '/keys', names: ['Create a key', 'Rotate…', 'Revoke…'] },
    { role: 'viewer', path: '/system/revisions', names: ['Reload', 'Drain…', 'Roll back…'] },
    { role: 'operator', path: '/keys', names: ['Create a key', 'Rotate…', 'Revoke…'] },
    { role: 'operator', path: '/system/revisions', names: ['Reload', 'Drain…', 'Roll back…'] },
  ] as const;
  it.each(hidden)('hide from a $role the buttons that its role may not use: $path', async ({ role, path, names }) => {
    const server = await startFixtureServer([], someServing(now));
    const asAdmin = await open(server.url + path);
    await settled(asAdmin.page);
    server.set({ role });
    const { page } = await open(server.url + path);
    await settled(page);
    for (const name of names) {
      expect(await asAdmin.page.getByRole('button', { name }).count(), `${name} for an admin`).toBeGreaterThan(0);
      expect(await page.getByRole('button', { name }).count(), `${name} for a ${role}`).toBe(0);
    }
    await asAdmin.page.context().close();
    await page.context().close();
    await server.close();
  });

  it('show notes and key buttons without horizontal scrolling, and wrapped YAML next to its line numbers', async () => {
    const { page } = await open(`${servers.usual.url}/configs`);
    await settled(page);
    const overflowOf = (selector: string): Promise<number[]> =>
      page.locator(selector).evaluateAll((all) => all.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
    expect((await overflowOf('.name-list .small')).filter((width) => width > 0)).toEqual([]);
    await page.setViewportSize({ width: 1080, height: 800 });
    const below = `[...document.querySelectorAll('.code .line')].filter(({ children: [number, text] }) =>
      [...text.getClientRects()].some(({ left }) => left < number.getBoundingClientRect().right)).length`;
    expect(await page.locator('.code .line').count()).toBeGreaterThan(3);
    expect(await page.evaluate(below)).toBe(0);
    await page.setViewportSize({ width: 1024, height: 800 });
    await page.getByRole('link', { name: 'Keys' }).click();
    await page
      .getByRole('button', { name: /^Revoke/ })
      .first()
      .waitFor();
    expect(await overflowOf('.table-box')).toEqual([0]);
    await page.context().close();
  });

  it.each([
    ['Configs', '/configs', '/api/configs'],
    ['Prompts', '/prompts', '/api/prompts'],
  ])('show a page of many names, and find others by search: %s', async (label, path, api) => {
    const serving = someServing(now);
    const names = Array.from({ length: 120 }, (_, i) => `team-${i}`);
    const configs = names.map((name, i) => ({ ...(serving.configs[i % 2] ?? expect.fail()), name }));
    const prompts = names.map((id, i) => ({ ...(serving.prompts[i % 2] ?? expect.fail()), id }));
    const server = await startFixtureServer([], { ...serving, configs, prompts });
    const { page } = await open(`${server.url}${path}/team-117`);
    const list = page.getByRole('navigation', { name: label });
    const links = list.getByRole('link');
    const shown = page.locator('.split h2').first();
    const search = page.getByRole('searchbox', { name: `Search ${label.toLowerCase()}` });
    // A link opens its entry and the page of the list that contains it.
    await expect.poll(() => shown.innerText()).toBe('team-117');
    expect([await links.count(), await list.locator('[aria-current=page]').getAttribute('title')]).toEqual([20, 'team-117']);
    const moves = [
      ['Previous', 'team-50'],
      ['Previous', 'team-0'],
      ['Next', 'team-50'],
      ['Next', 'team-100'],
    ] as const;
    for (const [button, first] of moves) {
      await list.getByRole('button', { name: button }).press('Enter');
      await expect.poll(() => links.first().getAttribute('title')).toBe(first);
    }
    // Others can be selected without leaving the page of the list.
    await list.getByRole('link', { name: 'team-103' }).press('Enter');
    await expect.poll(() => shown.innerText()).toBe('team-103');
    expect([new URL(page.url()).search, await links.count()]).toEqual(['?from=100', 20]);
    await search.fill('TEAM-11');
    await expect.poll(() => links.count()).toBe(11);
    expect(new URL(page.url()).search).toBe('?find=TEAM-11');
    await search.fill('none');
    await page.getByText('No name matches.').waitFor();
    expect(await shown.innerText()).toBe('team-103');
    const held = Promise.withResolvers<void>();
    await page.route(`**${api}?*`, (route) => held.promise.then(() => route.continue()));
    await search.fill('');
    await expect.poll(() => new URL(page.url()).search).toBe('');
    held.resolve();
    await expect.poll(() => links.count()).toBe(20);
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
    await page.context().close();
    await server.close();
  });

  it('suggest configs of all pages in the form that explains a request, and the providers of the one that is typed', async () => {
    const serving = someServing(now);
    const configs = Array.from({ length: 120 }, (_, i) => ({ ...(serving.configs[i < 60 ? 0 : 1] ?? expect.fail()), name: `team-${i}` }));
    const server = await startFixtureServer([], { ...serving, configs });
    const { page } = await open(`${server.url}/configs`);
    await page.getByLabel('azure-eu', { exact: true }).waitFor();
    await page.getByLabel('Config', { exact: true }).fill('team-11');
    await expect.poll(() => page.locator('datalist option[value^=team]').count()).toBe(11);
    const held = Promise.withResolvers<void>();
    const asked = page.waitForRequest('**/api/configs/team-117');
    await page.route('**/api/configs/team-117', (route) => held.promise.then(() => route.continue()));
    await page.getByLabel('Config', { exact: true }).fill('team-117');
    await asked;
    const slugs = () => page.locator('.small-fields label').allInnerTexts();
    // Until the config is loaded, the form shows the providers of the one before.
    expect(await slugs()).toEqual(['openai-main', 'azure-eu']);
    held.resolve();
    await expect.poll(slugs).toEqual(['claude', 'openai-main']);
    await page.context().close();
    await server.close();
  });

  it('show a line of a very long file, and edit it without an element for each line', async () => {
    const serving = someServing(now);
    const text = Array.from({ length: 20_000 }, (_, i) => `# remark on line ${i + 1}`).join('\n');
    const values = [{ path: 'version', value: '1', origin: { file: 'gateway.yaml', line: 15_000 } }];
    const config = { ...serving.config, files: [{ path: 'gateway.yaml', text }], values };
    const server = await startFixtureServer([], { ...serving, config });
    const { page } = await open(`${server.url}/system/configuration`);
    await page.getByRole('button', { name: 'gateway.yaml:15000' }).click();
    expect(await page.locator('dialog mark').innerText()).toMatch(/^15000\s+# remark on line 15000\s*$/);
    await page.getByText('Lines 14,500 to 15,500 of 20,000').waitFor();
    await page.goto(`${server.url}/system/plan`);
    await page.getByRole('textbox', { name: 'Text of gateway.yaml' }).waitFor();
    const gutter = page.locator('.gutter');
    expect([await gutter.innerText(), await gutter.locator('*').count()]).toEqual([expect.stringMatching(/^1\n2\n[^]*\n20000$/), 0]);
    await page.context().close();
    await server.close();
  });

  it('show a page of many API keys, and find others by search', async () => {
    const serving = someServing(now);
    const [first] = serving.keys;
    if (first === undefined) throw new Error('no key');
    const keys = Array.from({ length: 120 }, (_, i) => ({ ...first, name: `team-${i}` }));
    const server = await startFixtureServer([], { ...serving, keys });
    const { page } = await open(`${server.url}/keys`);
    const names = page.locator('.key-name strong');
    const pages = page.getByRole('navigation', { name: 'Parts of the list' });
    await expect.poll(() => names.count()).toBe(50);
    await pages.getByText('1–50 of 120').waitFor();
    for (const next of ['team-50', 'team-100']) {
      await pages.getByRole('button', { name: 'Next' }).press('Enter');
      await expect.poll(() => names.first().innerText()).toBe(next);
    }
    expect(await pages.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
    await page.getByLabel('Search names, secrets, permissions and files').fill('team-11');
    await expect.poll(() => names.count()).toBe(11);
    expect([new URL(page.url()).search, await pages.count()]).toEqual(['?find=team-11', 0]);
    const held = Promise.withResolvers<void>();
    await page.route('**/api/keys?*', (route) => held.promise.then(() => route.continue()));
    await page.getByLabel('Search names, secrets, permissions and files').fill('');
    await expect.poll(() => new URL(page.url()).search).toBe('');
    held.resolve();
    await pages.getByText('1–50 of 120').waitFor();
    expect(await page.evaluate('document.activeElement.placeholder')).toBe('app-web');
    await page.goBack();
    await pages.getByText('51–100 of 120').waitFor();
    await server.close();
  });

  it('show a page of many providers, from the first one after a search', async () => {
    const serving = someServing(now);
    const [first] = serving.providers;
    if (first === undefined) throw new Error('no provider');
    const providers = Array.from({ length: 120 }, (_, i) => ({ ...first, slug: `eu-${i}` }));
    const server = await startFixtureServer([], { ...serving, providers });
    const { page } = await open(`${server.url}/catalog`);
    const panels = page.locator('.provider-grid > *');
    const pages = page.getByRole('navigation', { name: 'Parts of the list' });
    await pages.getByText('1–50 of 120').waitFor();
    expect(await panels.count()).toBe(50);
    await pages.getByRole('button', { name: 'Next' }).press('Enter');
    await expect.poll(() => panels.first().innerText()).toContain('eu-50');
    await page.getByLabel('Search providers, models and deployments').fill('eu-11');
    await expect.poll(() => panels.count()).toBe(11);
    expect(new URL(page.url()).search).toBe('?find=eu-11');
    await page.goto(`${server.url}/catalog/eu-117`);
    await expect.poll(() => panels.allInnerTexts()).toEqual([expect.stringContaining('eu-117')]);
    expect(await pages.count()).toBe(0);
    await server.close();
  });

  it('show few API keys without pages and search', async () => {
    const serving = someServing(now);
    const server = await startFixtureServer([], { ...serving, keys: serving.keys.slice(0, 2) });
    const { page } = await open(`${server.url}/keys`);
    await page.locator('.key-name').first().waitFor();
    expect([await page.getByRole('navigation', { name: 'Parts of the list' }).count(), await page.getByRole('textbox').count()]).toEqual([
      0, 0,
    ]);
    await server.close();
  });

  it('show API keys before the request log has responded', async () => {
    const server = await startFixtureServer([], someServing(now));
    const { page } = await open(server.url);
    await page.route('**/api/keys?*', (route) => (route.request().url().includes('usage=false') ? route.continue() : undefined));
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.locator('.key-name').first().waitFor();
    await page.getByText('waiting for usage and cost').waitFor();
    await server.close();
  });

  it('show why the use of keys and the cost of providers are not known', async () => {
    const serving = someServing(now);
    const log_fault = 'The request log does not respond.';
    const keys = serving.keys.map((key) => ({ ...key, requests_today: null, cost_month_usd: null, log_fault }));
    const providers = serving.providers.map((provider) => ({ ...provider, cost_today_usd: null, log_fault }));
    const server = await startFixtureServer([], { ...serving, keys, providers });
    const { page } = await open(`${server.url}/keys`);
    await page.getByText('Usage and cost may be incomplete: The request log does not respond.', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Catalog' }).click();
    await page.getByText('Cost today may be incomplete: The request log does not respond.', { exact: true }).waitFor();
    await server.close();
  });

  it('show the YAML of a new key if its file cannot be written', async () => {
    const serving = {
      ...someServing(now),
      keyChange: { secret: 'gw_live_x', yaml: 'api_keys:\n  ci: {hash: sha256:00}\n', written_to: null, rejected: null },
    };
    const server = await startFixtureServer([], serving);
    const { page } = await open(`${server.url}/keys`);
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill('ci');
    await page.getByLabel('Expires').fill('90d');
    await page.keyboard.press('Enter');
    expect(await page.locator('dialog .code').innerText()).toContain('ci: {hash: sha256:00}');
    expect(serving.calls).toEqual([{ method: 'POST', path: '/api/keys', body: { name: 'ci', expires: '90d' } }]);
    await server.close();
  });
});

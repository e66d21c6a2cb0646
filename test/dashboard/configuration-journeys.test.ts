import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminUrl } from '../admin/client.ts';
import { hasBrowser, useBrowser } from '../support/dashboard/page.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

const main = `version: 1
include: [configs/*.yaml, keys.d/*.yaml]
server: {admin: {open: true}}
providers:
  mock: {type: mock}
  spare: {type: mock}
prompts:
  welcome:
    published: 1
    versions:
      1:
        model: "@mock/echo"
        variables: {product: {required: true}, tone: {default: friendly}}
        messages: [{role: user, content: "Greet customers of {{product}} in a {{tone}} tone."}]
      2: {model: "@mock/echo", variables: {constructor: {required: true}}, messages: [{role: user, content: "Welcome, {{constructor}}."}]}
`;
const support = (temperature: number): string => `configs:
  support:
    strategy: {mode: fallback, on_status_codes: [429]}
    targets:
      - provider: mock
        override_params: {model: echo, temperature: ${temperature}}
      - provider: spare
`;
const byPlan = `configs:
  by-plan:
    strategy:
      mode: conditional
      conditions: [{query: {metadata.plan: {$eq: paid}}, then: big}]
      default: small
    targets:
      - {name: big, provider: spare}
      - {name: small, provider: mock}
`;

describe.skipIf(!hasBrowser)('using the configuration pages', () => {
  const open = useBrowser();
  let gateway: TestGateway;
  let page: Page;
  let complaints: readonly string[];
  beforeEach(async () => {
    const files = { 'configs/support.yaml': support(0.2), 'configs/by-plan.yaml': byPlan, 'keys.d/.gitkeep': '' };
    gateway = await startTestGateway(main, { admin: true, files, watch: true });
  });
  afterEach(async () => {
    const serious = complaints.filter((text) => !text.includes('Failed to load resource'));
    if (serious.length > 0) throw new Error(`the browser complained: ${serious.join('\n')}`);
    await page.context().close();
    await gateway.close();
  });
  const visit = async (path: string): Promise<void> => {
    ({ page, complaints } = await open(adminUrl(gateway) + path));
    await page.getByRole('heading', { level: 1 }).waitFor();
  };
  const write = (name: string, text: string): Promise<void> => writeFile(join(gateway.dir, name), text);

  it('explains a request body: the matching condition, the target and the changes', async () => {
    await visit('/configs/by-plan');
    await page.getByRole('button', { name: 'Complete body' }).click();
    const body = page.getByLabel('Body', { exact: true });
    await body.fill('{"model": "echo"');
    await page.getByText(/^Not JSON/).waitFor();
    expect(await page.getByRole('button', { name: 'Explain', exact: true }).isDisabled()).toBe(true);
    await body.fill('{"model": "echo", "messages": [{"role": "user", "content": "hi"}]}');
    await page.getByLabel('Headers').fill('x-gateway-metadata {"plan": "paid"}');
    await page.getByRole('button', { name: 'Explain', exact: true }).click();
    await page.getByText(/is not a header/).waitFor();
    await page.getByLabel('Headers').fill('x-gateway-metadata: {"plan": "paid"}');
    await page.getByRole('button', { name: 'Explain', exact: true }).click();
    const explanation = page.getByRole('region', { name: 'Explanation' });
    await explanation.getByText('goes here').waitFor();
    const text = await explanation.innerText();
    expect(text).toContain('spare/echo');
    expect(text).toContain('matches');
    expect(text).toContain('configs/by-plan.yaml:');
    expect(gateway.records).toEqual([]);
  });

  it('explains a fallback for an assumed response of a target', async () => {
    await visit('/configs/support');
    await page.getByLabel('mock', { exact: true }).selectOption('429');
    await page.getByRole('button', { name: 'Explain', exact: true }).click();
    const explanation = page.getByRole('region', { name: 'Explanation' });
    const here = explanation.locator('.panel', { hasText: 'goes here' }).last();
    await here.waitFor();
    // It is below the form, and its title is announced, not all of its text.
    await expect.poll(() => explanation.evaluate((element) => element.getBoundingClientRect().top)).toBeLessThan(200);
    expect(await explanation.getByRole('status').allInnerTexts()).toEqual(['The explanation is below the form']);
    expect(await explanation.getAttribute('aria-live')).toBe(null);
    expect(await here.getByRole('heading', { level: 2 }).first().innerText()).toContain('spare');
  });

  it('shows the tree of a config with the statistics of each target', async () => {
    const headers = { 'content-type': 'application/json', 'x-gateway-config': 'support' };
    const body = JSON.stringify({ model: 'echo', messages: [{ role: 'user', content: 'hi' }] });
    const response = await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body });
    expect(response.status).toBe(200);
    await visit('/configs/support');
    const tree = page.getByRole('list', { name: 'Targets of support' });
    await expect
      .poll(async () => {
        await page.reload();
        await tree.waitFor();
        return tree.innerText();
      })
      .toMatch(/1 attempt\b[\s\S]*100 %/);
    expect(await tree.innerText()).toContain('on 429');
    await page.getByLabel('YAML of support').getByText('temperature: 0.2').waitFor();
  });

  it('tests a provider', async () => {
    await visit('/catalog');
    await page.getByRole('button', { name: 'Test' }).first().click();
    const result = page.locator('.panel', { hasText: 'mock' }).first().locator('.notice');
    await result.waitFor();
    expect(await result.getAttribute('class')).toContain('ok');
  });

  it('renders a prompt while the variables are typed, and runs it', async () => {
    await visit('/prompts/welcome');
    await page.getByText('Fill in product to see what is sent').waitFor();
    await page.getByLabel('product (required)').fill('Kite');
    await page.getByText('Greet customers of Kite in a friendly tone.').first().waitFor();
    expect(gateway.records).toEqual([]);
    await page.getByRole('button', { name: 'Run it' }).click();
    await page.getByRole('link', { name: 'Open the request' }).waitFor();
    // Not the text of the response.
    const announced = page.getByRole('status').filter({ hasText: 'The run' });
    await expect.poll(() => announced.allInnerTexts()).toEqual([expect.stringMatching(/^The run is done\. \d+ tokens in, \d+ out · \$0$/)]);
    expect(await page.locator('[aria-live]', { hasText: 'Greet' }).count()).toBe(0);
    const runs = page.getByRole('region', { name: 'Last runs' });
    await runs.getByText('200').first().waitFor();
    expect(gateway.records).toHaveLength(1);
    await page.getByLabel('Version', { exact: true }).selectOption('2');
    await page.getByText('Fill in constructor to see what is sent').waitFor();
    await page.getByLabel('constructor (required)').fill('Ada');
    await page.getByText('Welcome, Ada.').first().waitFor();
    expect(complaints).toEqual([]);
  });

  it('announces the reason if a run fails', async () => {
    await visit('/prompts/welcome');
    await page.getByLabel('product (required)').fill('Kite');
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const body = JSON.stringify({ error: { message: 'The budget is spent.' } });
    await page.route('**/api/prompts/*/try', async (route) => {
      await held;
      await route.fulfill({ json: { status: 412, id: null, cost_usd: null, body } });
    });
    await page.getByRole('button', { name: 'Run it' }).click();
    const announced = page.getByRole('status').filter({ hasText: 'The run' });
    await expect.poll(() => announced.allInnerTexts()).toEqual(['The run has started.']);
    release();
    await expect.poll(() => announced.allInnerTexts()).toEqual(['The run failed with status 412. The budget is spent.']);
  });

  it('reports the result of a run if the page of the prompt was left', async () => {
    await visit('/prompts/welcome');
    await page.getByLabel('product (required)').fill('Kite');
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/api/prompts/*/try', (route) => held.then(() => route.continue()));
    await page.getByRole('button', { name: 'Run it' }).click();
    await page.getByRole('button', { name: 'Running…' }).waitFor();
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByText('No API keys yet').waitFor();
    release();
    await page.getByText('The run of welcome ended with status 200.').waitFor();
    await page.getByRole('link', { name: 'Open the request' }).click();
    expect(gateway.records).toHaveLength(1);
    expect(page.url()).toContain(`/requests/${gateway.records[0]?.id}`);
  });

  it('creates, rotates and revokes a key, and shows each secret once', async () => {
    await visit('/keys');
    await page.getByText('No API keys yet').waitFor();
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill('app-web');
    // Selecting text and releasing the mouse outside of the dialog does not close it.
    const { x, y } = (await page.getByLabel('Name').boundingBox()) ?? { x: 0, y: 0 };
    await page.mouse.move(x + 40, y + 10);
    await page.mouse.down();
    await page.mouse.move(5, y + 10, { steps: 3 });
    await page.mouse.up();
    await page.getByLabel('Configs').fill('support');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const secret = page.getByLabel('Secret', { exact: true });
    const first = await secret.innerText();
    expect(first).toMatch(/^gw_live_[\w-]+$/);
    await page.getByText('Written to keys.d/app-web.yaml').waitFor();
    expect(await statusWith(first)).toBe(200);
    await page.mouse.click(5, 5);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await expect.poll(() => page.content()).not.toContain(first);

    await page.getByRole('button', { name: 'Rotate… app-web' }).click();
    await page.getByRole('button', { name: 'Issue a new secret' }).click();
    const second = await secret.innerText();
    expect(second).not.toBe(first);
    // The page below an open dialog is inert, so the dialog itself confirms.
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByRole('dialog').getByText('Copied secret').waitFor();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    expect([await statusWith(first), await statusWith(second)]).toEqual([200, 200]);

    await page.getByRole('button', { name: 'Revoke… app-web' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await statusWith(second)).toBe(200);
    await page.getByRole('button', { name: 'Revoke… app-web' }).click();
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page
      .getByText(/^revoked/)
      .first()
      .waitFor();
    expect([await statusWith(first), await statusWith(second)]).toEqual([401, 401]);
  });

  it('keeps the dialog of a new key open until its secret is shown', async () => {
    await visit('/keys');
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/api/keys', async (route) => {
      if (route.request().method() === 'POST') await held;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill('app-web');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('button', { name: 'Create', exact: true, disabled: true }).waitFor();
    // A second Escape closes a dialog even if the page prevents the first.
    for (let n = 0; n < 3; n++) await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    release();
    expect(await page.getByLabel('Secret', { exact: true }).innerText()).toMatch(/^gw_live_/);
  });

  it('keeps the focus in a dialog whose action fails, and in the one with its result', async () => {
    await visit('/keys');
    await page.route('**/api/keys', (route) => (route.request().method() === 'POST' ? route.abort() : route.continue()));
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill('app-web');
    const create = page.getByRole('button', { name: 'Create', exact: true });
    await create.press('Enter');
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.innerText')).toBe('Create');
    await page.unroute('**/api/keys');
    await create.press('Enter');
    await page.getByLabel('Secret', { exact: true }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.closest("dialog") !== null')).toBe(true);
  });

  it('shows the error of a failed reload with its position until the file is fixed', async () => {
    await visit('/system');
    await write('configs/support.yaml', support(0.2).replace('override_params', 'overide_params'));
    const alert = page.getByRole('alert');
    await alert.waitFor();
    const text = await alert.innerText();
    expect(text).toContain('configs/support.yaml:6:');
    expect(text).toContain('override_params');
    await write('configs/support.yaml', support(0.3));
    await alert.waitFor({ state: 'detached' });
  });

  it('rolls back to an earlier revision after confirmation, and reloads', async () => {
    await write('configs/support.yaml', support(0.7));
    await visit('/system/revisions');
    const older = page.getByRole('button', { name: 'Roll back…' });
    await expect
      .poll(async () => {
        await page.reload();
        await page.getByText('active', { exact: true }).waitFor();
        return older.count();
      })
      .toBe(1);
    await page
      .getByRole('button', { name: /^Diff / })
      .first()
      .click();
    const diff = await page.locator('.code').first().innerText();
    expect(diff).toContain('temperature: 0.2');
    expect(diff).toContain('temperature: 0.7');
    await older.click();
    await page.getByRole('button', { name: 'Roll back', exact: true }).click();
    await page.getByText(/^Revision \w+ is active/).waitFor();
    await page.getByRole('tab', { name: 'Now' }).click();
    await page.getByText(/^Rolled back to revision/).waitFor();
    await page.getByRole('button', { name: 'Reload', exact: true }).click();
    await page.getByText(/^Rolled back to revision/).waitFor({ state: 'detached' });
    // No entry of the active revision has a button to roll back.
    const texts = async (): Promise<(readonly [string | undefined, boolean])[]> => {
      await page.reload();
      await page.getByText('active', { exact: true }).waitFor();
      const entries = await page.locator('ol > li').allInnerTexts();
      return entries.map((text) => [/^\w+/.exec(text)?.[0], text.includes('Roll back…')]);
    };
    await visit('/system/revisions');
    await expect.poll(async () => (await texts()).length).toBe(4);
    const [[serving] = [], ...before] = await texts();
    expect(before.map(([revision, hasWay]) => [revision === serving, hasWay])).toEqual([
      [false, true],
      [true, false],
      [false, true],
    ]);
  });

  it('plans an edited configuration that is not saved', async () => {
    ({ page, complaints } = await open(adminUrl(gateway)));
    const texts: (string | null)[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === '/api/config') texts.push('values');
      if (pathname === '/api/config/files' && searchParams.has('text_of')) texts.push(searchParams.get('text_of'));
    });
    await page.goto(`${adminUrl(gateway)}/system/plan`);
    await page.getByText('This is the active configuration.', { exact: false }).waitFor();
    await page.getByRole('textbox', { name: 'Text of gateway.yaml' }).waitFor();
    expect(texts).toEqual(['gateway.yaml']);
    await page.getByLabel('File').selectOption('configs/support.yaml');
    const area = page.getByRole('textbox', { name: 'Text of configs/support.yaml' });
    const [before] = /(?<=temperature: )[\d.]+/.exec(await area.inputValue()) ?? [];
    await area.fill(support(0.9));
    const change = page.locator('.difference li');
    await expect
      .poll(async () => (await change.allInnerTexts()).map((text) => text.split(/\s+/).filter(Boolean)))
      .toEqual([['~', 'changed', 'configs.support.targets[0].override_params.temperature', before, '0.9']]);
    await area.fill(support(0.9).replace('strategy', 'stratgy'));
    await page.getByText('the active configuration would stay').waitFor();
    await page
      .getByRole('button', { name: /^configs\/support\.yaml:3/ })
      .first()
      .click();
    await expect.poll(() => page.evaluate('document.activeElement.tagName + document.activeElement.selectionStart')).toBe('TEXTAREA24');
    await expect.poll(() => page.locator('.gutter .error').allInnerTexts()).toEqual(['3']);
    await page.getByRole('tab', { name: 'Now' }).click();
    await page.getByRole('tab', { name: 'Plan' }).click();
    await page.reload();
    await page.getByLabel('File').selectOption('configs/support.yaml');
    expect(await area.inputValue()).toContain('stratgy');
    await page.getByRole('button', { name: 'Restore the active configuration' }).click();
    await page.getByText('This is the active configuration.', { exact: false }).waitFor();
    // The plan follows a change of the file.
    await page.getByLabel('File').selectOption('configs/support.yaml');
    await write('configs/support.yaml', support(0.4).replaceAll('\n', '\r\n'));
    await expect.poll(() => area.inputValue()).toContain('temperature: 0.4');
    // Different line ends do not count as changed lines.
    await area.fill(support(0.5));
    const added = page.locator('.code .added');
    await expect.poll(() => added.allInnerTexts()).toEqual([expect.stringContaining('temperature: 0.5')]);
  });

  it('finds the origin of a value', async () => {
    ({ page, complaints } = await open(adminUrl(gateway)));
    let requests = 0;
    page.on('request', (request) => void (requests += Number(new URL(request.url()).pathname === '/api/config')));
    await page.goto(`${adminUrl(gateway)}/system/configuration`);
    const search = page.getByLabel('Search names, values and files');
    await search.waitFor();
    expect(requests).toBe(1);
    await search.fill('temperature 0.2');
    await page.getByRole('button', { name: 'configs/support.yaml:6' }).first().click();
    expect(await page.locator('dialog mark').innerText()).toContain('temperature: 0.2');
  });

  const statusWith = async (key: string): Promise<number> => {
    const headers = { 'content-type': 'application/json', 'x-gateway-api-key': key, 'x-gateway-config': 'support' };
    const body = JSON.stringify({ model: 'echo', messages: [{ role: 'user', content: 'hi' }] });
    const response = await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body });
    await response.text();
    return response.status;
  };
});

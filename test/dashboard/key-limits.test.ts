import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UsedLimits } from '../../src/core/limits/used-limits.ts';
import { adminUrl } from '../admin/client.ts';
import { startFixtureServer } from '../support/dashboard/fixture-server.ts';
import { hasBrowser, useBrowser } from '../support/dashboard/page.ts';
import { someServing } from '../support/dashboard/serving-views.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

const yaml = `version: 1
include: [keys.d/*.yaml]
server: {admin: {open: true}}
providers: {mock: {type: mock}}
`;

const now = Date.now();
const renews = Date.UTC(2027, 0);
const noLimits: UsedLimits = { rate: null, tokens: null, budget: null, concurrency: null };

/** The limits before the request log has responded. */
const unused = (limits: UsedLimits | null): UsedLimits | null =>
  limits && {
    ...limits,
    rate: limits.rate && { ...limits.rate, used: null },
    tokens: limits.tokens && { ...limits.tokens, used: null },
    budget: limits.budget && { ...limits.budget, spent_usd: null },
  };

describe.skipIf(!hasBrowser)('limits on the page of keys', () => {
  const open = useBrowser();

  it.each<[string, Partial<UsedLimits>, string, string | null]>([
    ['a rate', { rate: { max: 60, unit: 'minute', used: 12 } }, '12 of 60 requests/min', null],
    ['one request', { rate: { max: 1, unit: 'hour', used: 0 } }, '0 of 1 request/h', null],
    ['tokens', { tokens: { max: 200_000, unit: 'day', used: 159_999 } }, '160K of 200K tokens/day', null],
    ['nearly all tokens', { tokens: { max: 200_000, unit: 'day', used: 160_000 } }, '160K of 200K tokens/day', 'nearly reached'],
    ['all tokens', { tokens: { max: 1000, unit: 'minute', used: 1200 } }, '1,200 of 1,000 tokens/min', 'reached'],
    ['a limit per second', { rate: { max: 5, unit: 'second', used: null } }, '5 requests/s', null],
    ['a rate without its use', { rate: { max: 60, unit: 'minute', used: null } }, '60 requests/min', null],
    ['a budget', { budget: { usd: '50', period: 'month', spent_usd: '3.102944', renews } }, '3.10 of 50 USD this month', null],
    ['a spent budget', { budget: { usd: '0.5', period: 'day', spent_usd: '0.5', renews } }, '0.5 of 0.5 USD today', 'reached'],
    ['a budget of 0', { budget: { usd: '0', period: 'week', spent_usd: '0', renews } }, '0 of 0 USD this week', 'reached'],
    ['requests in flight', { concurrency: 20 }, '20 in flight', null],
  ])('show %s of a key', async (_, limits, text, state) => {
    const serving = someServing(now);
    const keys = serving.keys.map((key, i) => ({ ...key, limits: i === 0 ? { ...noLimits, ...limits } : null }));
    const server = await startFixtureServer([], { ...serving, keys });
    const { page } = await open(`${server.url}/keys`);
    const limit = page.getByRole('list', { name: 'Limits of app-web' }).getByRole('listitem');
    expect(await limit.locator('[title] > [aria-hidden]').innerText()).toBe(text);
    const tone = state === null ? null : state === 'reached' ? 'bad' : 'warn';
    expect(await limit.locator('.warn, .bad').count()).toBe(tone === null ? 0 : 2);
    if (tone !== null)
      expect([await limit.locator(`.bar.${tone}`).count(), await limit.locator(`svg + *`).innerText()]).toEqual([1, state]);
    await page.context().close();
    await server.close();
  });

  it('show exact numbers of limits to those who point at them and to screen readers', async () => {
    const server = await startFixtureServer([], someServing(now));
    const { page } = await open(`${server.url}/keys`);
    const limits = page.getByRole('list', { name: 'Limits of app-web' });
    await limits.waitFor();
    expect(await limits.ariaSnapshot()).toBe(`- list "Limits of app-web":
  - listitem: 12 of 60 requests per minute
  - listitem: 168,400 of 200,000 tokens per minute nearly reached
  - listitem: 3.102944 of 50 USD this month (UTC), the next month begins on 2027-01-01
  - listitem: 20 requests in flight`);
    expect(await limits.locator('[title]').nth(1).getAttribute('title')).toBe('168,400 of 200,000 tokens per minute');
    await page.context().close();
    await server.close();
  });

  it('have no column of limits if no key has one', async () => {
    const serving = someServing(now);
    const server = await startFixtureServer([], { ...serving, keys: serving.keys.map((key) => ({ ...key, limits: null })) });
    const { page } = await open(`${server.url}/keys`);
    await page.getByRole('columnheader', { name: 'May use' }).waitFor();
    expect(await page.getByRole('columnheader', { name: 'Limits' }).count()).toBe(0);
    await page.context().close();
    await server.close();
  });

  it.each([360, 1280])('keep the place of all keys when the use of their limits arrives at %i px', async (width) => {
    const serving = someServing(now);
    const keys = serving.keys.map((key) => ({ ...key, limits: unused(key.limits) }));
    const [used, first] = [await startFixtureServer([], serving), await startFixtureServer([], { ...serving, keys })];
    const { page } = await open(`${first.url}/keys`, { width });
    const boxes = `JSON.stringify([...document.querySelectorAll('.limit')].map((limit) => {
      const { x, y, height } = limit.getBoundingClientRect();
      return { x, y, height };
    }))`;
    await page.locator('.limit').first().waitFor();
    const before = await page.evaluate(boxes);
    await page.goto(`${used.url}/keys`);
    await page.locator('.limit').first().waitFor();
    expect(await page.evaluate(boxes)).toBe(before);
    await page.context().close();
    await Promise.all([used.close(), first.close()]);
  });

  describe('in the form for a new key', () => {
    let gateway: TestGateway;
    beforeEach(async () => {
      gateway = await startTestGateway(yaml, { admin: true, watch: true, files: { 'keys.d/.gitkeep': '' } });
    });
    afterEach(() => gateway.close());

    it.each([
      ['Requests', '60', /^Rate must be .* not "60"\. For example 60\/min\.$/],
      ['Tokens', '200k/month', /^Tokens must be /],
      ['Budget', '50EUR/month', /^Budget must be an amount in USD /],
      ['Requests in flight', 'few', /^Concurrency must be /],
      ['Requests in flight', '0', /^Concurrency must be /],
      ['Expires', 'soon', /^Expires must be /],
    ])('show an error at its field until it is changed: %s %s', async (label, value, message) => {
      const { page } = await open(`${adminUrl(gateway)}/keys`);
      await page.getByRole('button', { name: 'Create a key' }).click();
      await page.getByLabel('Name').fill('app-web');
      const input = page.getByLabel(label, { exact: true });
      await input.fill(value);
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      const problem = page.locator('.field', { has: input }).locator('.problem');
      expect(await problem.innerText()).toMatch(message);
      await expect.poll(() => page.evaluate('document.activeElement.value')).toBe(value);
      expect([await input.getAttribute('aria-invalid'), await page.getByRole('alert').count()]).toEqual(['true', 0]);
      await input.fill('');
      expect([await problem.count(), await input.getAttribute('aria-invalid')]).toEqual([0, null]);
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByLabel('Secret', { exact: true }).waitFor();
      await page.context().close();
    });

    it('are written to the file of the key and shown with what was used', async () => {
      const { page } = await open(`${adminUrl(gateway)}/keys`);
      await page.getByRole('button', { name: 'Create a key' }).click();
      for (const [label, value] of [
        ['Name', 'app-web'],
        ['Requests', ' 60/h '],
        ['Tokens', '1M/day'],
        ['Budget', '0.5 USD/day'],
        ['Requests in flight', '20'],
      ] as const)
        await page.getByLabel(label, { exact: true }).fill(value);
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      const secret = await page.getByLabel('Secret', { exact: true }).innerText();
      expect(await readFile(join(gateway.dir, 'keys.d/app-web.yaml'), 'utf8')).toContain(
        'limits: {rate: 60/h, tokens: 1M/day, budget: 0.5 USD/day, concurrency: 20}\n',
      );
      const response = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
        body: JSON.stringify({ model: '@mock/echo', messages: [{ role: 'user', content: 'hi' }] }),
      });
      expect(response.status).toBe(200);
      await expect
        .poll(async () => {
          await page.reload();
          await page.getByRole('list', { name: 'Limits of app-web' }).waitFor();
          return page.locator('.limit [title] > [aria-hidden]').allInnerTexts();
        })
        .toEqual(['1 of 60 requests/h', expect.stringMatching(/^[1-9]\d* of 1M tokens\/day$/), '0 of 0.5 USD today', '20 in flight']);
      await page.context().close();
    });
  });
});

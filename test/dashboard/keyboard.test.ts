import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LogRow } from '../../src/core/logs/row.ts';
import { type FixtureServer, startFixtureServer } from '../support/dashboard/fixture-server.ts';
import { hasBrowser, useBrowser } from '../support/dashboard/page.ts';
import { makeRows } from '../support/dashboard/rows.ts';

const visibleRows = (page: Page) => page.locator('.grid tbody tr:not(.space)');
const parameter = (page: Page, name: string): string | null => new URL(page.url()).searchParams.get(name);

describe.skipIf(!hasBrowser)('keyboard shortcuts', () => {
  const open = useBrowser();
  let server: FixtureServer;
  let rows: LogRow[];
  beforeEach(async () => {
    rows = makeRows(300, Date.now(), 20);
    server = await startFixtureServer(rows);
  });
  afterEach(() => server.close());

  const list = async (search = '') => {
    const opened = await open(`${server.url}/requests${search}`);
    await visibleRows(opened.page).first().waitFor();
    return opened.page;
  };

  it('open a request next to the list, move to other requests, and close it', async () => {
    const page = await list();
    const panel = page.getByRole('complementary', { name: 'Request' });
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await panel.getByText(rows[0]?.id ?? '').waitFor();
    await page.keyboard.press(']');
    await panel.getByText(rows[1]?.id ?? '').waitFor();
    // Some keyboard layouts need AltGr for brackets.
    await page.evaluate("document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '[', altKey: true, bubbles: true }))");
    await panel.getByText(rows[0]?.id ?? '').waitFor();
    expect(parameter(page, 'open')).toBe(rows[0]?.id);
    await page.keyboard.press('y');
    await page.getByText('Copied request id').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(rows[0]?.id);
    await page.keyboard.press('Y');
    await page.getByText('Copied command').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(
      /^curl 'http:\/\/127\.0\.0\.1:8787\/v1\/[\s\S]*\$GATEWAY_API_KEY[\s\S]*--data-raw/,
    );
    await page.keyboard.press('e');
    await page.getByRole('dialog', { name: /current configuration/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    // The list stays usable next to the open request.
    await visibleRows(page).nth(3).click();
    await panel.getByText(rows[3]?.id ?? '').waitFor();
    await visibleRows(page).nth(5).click();
    await panel.getByText(rows[5]?.id ?? '').waitFor();
  });

  it('act on the selected row while no request is open', async () => {
    const page = await list();
    await page.keyboard.press('y');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('y');
    await page.getByText('Copied request id').first().waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(rows[1]?.id);
    // Without a selected row, nothing was copied.
    expect(await page.getByText('Copied request id').count()).toBe(1);
    await page.keyboard.press('Y');
    await page.getByText('Copied command').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^curl [\s\S]*\$GATEWAY_API_KEY/);
    await page.keyboard.press('e');
    await page.getByRole('dialog', { name: /current configuration/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('r');
    await page.getByRole('dialog', { name: 'Replay' }).waitFor();
    expect(parameter(page, 'open')).toBeNull();
  });

  it('move the focus into the opened request, and back to the list when it closes', async () => {
    const page = await list();
    const focus = (): Promise<string> => page.evaluate('document.activeElement.getAttribute("aria-label")');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page
      .getByRole('complementary', { name: 'Request' })
      .getByText(rows[0]?.id ?? '')
      .waitFor();
    await expect.poll(focus).toBe('Request');
    await page.keyboard.press(']');
    await page
      .getByRole('complementary', { name: 'Request' })
      .getByText(rows[1]?.id ?? '')
      .waitFor();
    expect(await focus()).toBe('Request');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Page');
    await page.keyboard.press('Escape');
    await page.getByRole('complementary', { name: 'Request' }).waitFor({ state: 'detached' });
    expect(await focus()).toBe('Requests');
    await page.keyboard.press('t');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Last 24 hours');
    await page.keyboard.press('Escape');
    // Opening a request by its URL does not move the focus.
    const other = await list(`?open=${rows[2]?.id}`);
    await other
      .getByRole('complementary', { name: 'Request' })
      .getByText(rows[2]?.id ?? '')
      .waitFor();
    expect(await other.evaluate('document.activeElement.tagName')).toBe('BODY');
  });

  it('mark a filter that is not applied yet, and discard it with Escape', async () => {
    const page = await list('?q=status%3A200');
    const filter = page.getByRole('combobox', { name: 'Filter' });
    const hint = page.locator('.unapplied');
    expect(await hint.count()).toBe(0);
    await page.keyboard.press('/');
    await page.keyboard.type(' prov');
    await page.getByRole('option', { name: 'provider:' }).waitFor();
    await hint.waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    expect(await filter.inputValue()).toBe('status:200');
    expect([await hint.count(), parameter(page, 'q')]).toEqual([0, 'status:200']);
    await page.keyboard.press('j');
    await page.getByRole('row', { selected: true }).waitFor();
  });

  it('focus the first field of a dialog, and no letter is written into it', async () => {
    const page = await list();
    await page.keyboard.press('j');
    await page.keyboard.press('r');
    await page.getByRole('dialog', { name: 'Replay' }).waitFor();
    expect(await page.evaluate('document.activeElement.labels?.[0].textContent + document.activeElement.value')).toBe('To');
  });

  it('return the focus to a button whose menu closes', async () => {
    const page = await list('?q=status%3A200');
    const focus = (): Promise<string> => page.evaluate('document.activeElement.textContent');
    await page.keyboard.press('t');
    await expect.poll(focus).toBe('Last 24 hours');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await expect.poll(focus).toBe('Last 6 hours');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('button', { name: 'Save view…' }).click();
    await page.keyboard.type('good ones');
    await page.keyboard.press('Enter');
    await expect.poll(focus).toBe('good ones');
    await page.getByRole('button', { name: 'Delete the view good ones' }).click();
    await expect.poll(focus).toBe('Save view…');
    // Enter opens the selected row, and does not press that button.
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Request' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('close the menu of a narrow window, and focus its button or the page', async () => {
    const page = await list();
    await page.setViewportSize({ width: 360, height: 740 });
    const focus = (): Promise<string> =>
      page.evaluate('document.activeElement.ariaLabel ?? `${document.activeElement.id} ${document.activeElement.textContent}`');
    await page.getByRole('button', { name: 'Open the menu' }).press('Enter');
    await page.getByRole('link', { name: 'Keys' }).focus();
    await page.keyboard.press('Escape');
    await expect.poll(focus).toBe('Open the menu');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Keys' }).press('Enter');
    await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor();
    expect(await focus()).toMatch(/^main /);
    await page.getByRole('button', { name: 'Open the menu' }).waitFor();
  });

  it('work with a layout of another script', async () => {
    const page = await list();
    const press = (key: string, code: string, more = ''): Promise<unknown> =>
      page.evaluate(
        `document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', code: '${code}', bubbles: true, ${more} }))`,
      );
    await press('о', 'KeyJ');
    await page.getByRole('row', { selected: true }).waitFor();
    await press('х', 'BracketLeft');
    await page.getByRole('complementary', { name: 'Request' }).getByRole('button', { name: 'Replay…' }).waitFor();
    await press('к', 'KeyR', 'altKey: true');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await press('к', 'KeyR');
    await page.getByRole('dialog', { name: 'Replay' }).waitFor();
  });

  it('open each page, and show the list of all shortcuts', async () => {
    const page = await list();
    for (const [key, path] of Object.entries({ o: '/', c: '/configs', p: '/prompts', k: '/keys', s: '/system', r: '/requests' })) {
      // The second key must follow quickly; a slow machine may need several attempts.
      const go = async (): Promise<string> => {
        await page.keyboard.press('g');
        await page.keyboard.press(key);
        return new URL(page.url()).pathname;
      };
      await expect.poll(go).toBe(path);
    }
    await page.keyboard.press('?');
    const text = await page.getByRole('dialog', { name: 'Keyboard' }).innerText();
    for (const does of [
      'write a filter',
      'open the next row',
      'choose columns',
      'go to System',
      'show this list',
      'copy as curl',
      'replay it',
    ])
      expect(text).toContain(does);
    // Shortcuts for an open request do nothing if none is open.
    await page.keyboard.press('Escape');
    await page.keyboard.press('r');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });
});

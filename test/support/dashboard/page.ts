import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { ensureDashboard } from '../../../.ci/dashboard.mjs';
import { lacking } from '../skipping.ts';
import { findChromium, launch } from './chromium.ts';

const root = join(import.meta.dirname, '../../..');

/** Builds the dashboard if the sources have changed. @throws Error with the compiler's message */
export async function built(): Promise<string> {
  const problem = await ensureDashboard(root, (args, cwd) => spawnSync('npm', args, { cwd }));
  if (problem !== undefined) throw new Error(`the dashboard was not built: ${problem}`);
  return join(root, 'dist/dashboard');
}

/** On a busy machine, a query to the request log may take longer than it may: the page shows that, and repeats it. */
const lateQuery = 'status of 503';

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
}

export interface OpenPage {
  readonly page: Page;
  /** Messages of the browser: policy violations, exceptions, failed loads. */
  readonly complaints: readonly string[];
}

/** Waits until the page is rendered and nothing on it is loading. */
export async function settled(page: Page): Promise<void> {
  await page.locator('#main > *').first().waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
}

const chromium = await findChromium();

/** Timeout of one step in milliseconds. On a small machine with other tests, a browser can be a hundred times slower. */
const timeoutMs = 60_000;

/** False if there is no browser, which is an error under GATEWAY_TEST_STRICT=1. */
export const hasBrowser = !lacking(chromium);

/** Provides a browser for the tests of a file; each page has its own profile. */
export function useBrowser(): (url: string, options?: PageOptions) => Promise<OpenPage> {
  let browser: Browser | undefined;
  beforeAll(async () => {
    await built();
    if (!('missing' in chromium)) browser = await launch(chromium);
  });
  afterAll(() => browser?.close());
  return async (url, { width = 1280, height = 800, theme = 'light' } = {}) => {
    if (browser === undefined) throw new Error('the browser does not run');
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion: 'reduce', locale: 'en-US' });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    context.setDefaultTimeout(timeoutMs);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      const text = message.text();
      if ((message.type() === 'error' || message.type() === 'warning') && !text.includes(lateQuery)) complaints.push(text);
    });
    await page.goto(url);
    return { page, complaints };
  };
}

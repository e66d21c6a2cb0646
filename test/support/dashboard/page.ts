import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { ensureDashboard } from '../../../.ci/dashboard.mjs';
import { lacking } from '../skipping.ts';
import { findChromium, launch } from './chromium.ts';

const root = join(import.meta.dirname, '../../..');

/** Builds when the sources are newer. @throws Error with what the compiler said */
export async function built(): Promise<string> {
  const problem = await ensureDashboard(root, (args, cwd) => spawnSync('npm', args, { cwd }));
  if (problem !== undefined) throw new Error(`the dashboard was not built: ${problem}`);
  return join(root, 'dist/dashboard');
}

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
}

export interface OpenPage {
  readonly page: Page;
  /** What the browser complained about: violations of the policy, exceptions, failed loads. */
  readonly complaints: readonly string[];
}

/** Drawn, and nothing on it is still loading. */
export async function settled(page: Page): Promise<void> {
  await page.locator('#main > *').first().waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
}

const found = await findChromium();

/** Milliseconds for one step. A browser among other tests on a small machine may be a hundred times slower than alone. */
const patience = 60_000;

/** False where there is no browser; under GATEWAY_TEST_STRICT=1 that is an error. */
export const hasBrowser = !lacking(found);

/** A browser for the tests of a file; each page has a profile of its own. */
export function useBrowser(): (url: string, options?: PageOptions) => Promise<OpenPage> {
  let browser: Browser | undefined;
  beforeAll(async () => {
    await built();
    if (!('missing' in found)) browser = await launch(found);
  });
  afterAll(() => browser?.close());
  return async (url, { width = 1280, height = 800, theme = 'light' } = {}) => {
    if (browser === undefined) throw new Error('the browser does not run');
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion: 'reduce', locale: 'en-US' });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    context.setDefaultTimeout(patience);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    await page.goto(url);
    return { page, complaints };
  };
}

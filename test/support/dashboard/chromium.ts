import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { npmPackages } from '../npm.ts';

/** Paths used by Linux distributions. First the one without windows: a page takes less than half the time of the others. */
const paths = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];

/** The executable with the arguments that it needs, or the reason why there is none. */
export type FoundChromium = { readonly path: string; readonly args: readonly string[] } | { readonly missing: string };

/** Containers often have no user namespaces, little shared memory and no graphics. */
const defaultArgs = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--force-color-profile=srgb'];

/**
 * Finds Chromium: `GATEWAY_TEST_CHROMIUM`, the machine's own, or that of an npm package.
 * @throws Error under GATEWAY_TEST_STRICT=1 if there is none
 */
export async function findChromium(): Promise<FoundChromium> {
  const path = [process.env.GATEWAY_TEST_CHROMIUM, ...paths].find((one) => one !== undefined && existsSync(one));
  return path === undefined ? fromPackage() : { path, args: defaultArgs };
}

interface ChromiumPackage {
  readonly default: { readonly args: readonly string[]; executablePath(): Promise<string> };
}

async function fromPackage(): Promise<FoundChromium> {
  const packages = npmPackages('dashboard-browser', join(import.meta.dirname, '../../dashboard/browser'));
  if ('missing' in packages) return packages;
  const entry = createRequire(join(packages.folder, 'x.js')).resolve('@sparticuz/chromium');
  const { default: chromium } = (await import(pathToFileURL(entry).href)) as ChromiumPackage;
  return { path: await chromium.executablePath(), args: [...chromium.args, ...defaultArgs] };
}

export const launch = ({ path, args }: Exclude<FoundChromium, { missing: string }>): Promise<Browser> =>
  chromium.launch({ executablePath: path, args: [...args] });

import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { adminUrl } from '../admin/client.ts';
import { findChromium, launch } from '../support/dashboard/chromium.ts';
import { built } from '../support/dashboard/page.ts';
import { smallPng } from '../support/dashboard/small-png.ts';
import { send, startBusyGateway } from '../support/dashboard/traffic.ts';

/**
 * Makes the image of the README from a running gateway: `node --conditions=llm-gateway-source test/dashboard/screenshot.ts`.
 * Names the file as its argument to write another one.
 */
const path = process.argv[2] ?? 'docs/images/dashboard.png';
const maxBytes = 80_000;

await built();
const chromium = await findChromium();
if ('missing' in chromium) throw new Error(chromium.missing);
const gateway = await startBusyGateway();
const browser = await launch(chromium);
try {
  const ids: string[] = [];
  for (let n = 0; n < 48; n++) ids.push(await send(gateway, n % 6 === 4 && n > 12 ? 5 : n));
  // Records are stored in batches.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const page = await browser.newPage({ viewport: { width: 1440, height: 810 }, colorScheme: 'light', reducedMotion: 'reduce' });
  const selectedId = ids.findLast((_id, n) => n % 6 === 2) ?? '';
  await page.goto(`${adminUrl(gateway)}/requests?range=15m&open=${selectedId}`);
  await page.locator('.said').waitFor();
  await page.waitForTimeout(500);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, await smallPng(await page.screenshot(), await browser.newPage()));
  const { size } = statSync(path);
  if (size > maxBytes) throw new Error(`${path} has ${size} bytes, more than ${maxBytes}`);
  process.stdout.write(`${path}: ${size} bytes\n`);
} finally {
  await gateway.close();
  await browser.close();
}

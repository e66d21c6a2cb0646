import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createCollector } from './collector.ts';

const mib = 1024 * 1024;

/** Characters of a string whose memory V8 counts as external. */
const textOf = (bytes: number): number => Buffer.alloc(bytes, 'x').toString('latin1').length;

/** Returns how many megabytes are still in use after five strings of 4 MB, none of which is referenced any more. */
async function externalBytes(collector: (bytes: number) => void): Promise<number> {
  const before = process.memoryUsage().external;
  for (let i = 0; i < 5; i += 1) {
    collector(textOf(4 * mib));
    await turn();
  }
  return (process.memoryUsage().external - before) / mib;
}

test('createCollector frees the memory of large strings after enough of them', async () => {
  expect(await externalBytes(() => {})).toBeGreaterThanOrEqual(16);
  expect(await externalBytes(createCollector())).toBeLessThan(8);
});

test('createCollector does not run a collection for small strings', async () => {
  const collected = new WeakRef({});
  const collector = createCollector();
  for (let i = 0; i < 100; i += 1) collector(mib / 2);
  await turn();
  expect(collected.deref()).toBeDefined();
  collector(8 * mib);
  await turn();
  await turn();
  expect(collected.deref()).toBeUndefined();
});

test('createCollector does not add gc to globalThis', async () => {
  const collector = createCollector();
  collector(8 * mib);
  await turn();
  expect(globalThis).not.toHaveProperty('gc');
});

import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createCollector } from './collector.ts';

const mb = 1024 * 1024;

/** Characters of a string whose memory V8 counts as external. */
const textOf = (bytes: number): number => Buffer.alloc(bytes, 'x').toString('latin1').length;

/** Returns how many megabytes are still in use after five strings of 4 MB, none of which is referenced any more. */
async function held(collector: (bytes: number) => void): Promise<number> {
  const before = process.memoryUsage().external;
  for (let i = 0; i < 5; i += 1) {
    collector(textOf(4 * mb));
    await turn();
  }
  return (process.memoryUsage().external - before) / mb;
}

test('createCollector frees the memory of large strings after enough of them', async () => {
  expect(await held(() => {})).toBeGreaterThanOrEqual(16);
  expect(await held(createCollector())).toBeLessThan(8);
});

test('createCollector does not run a collection for small strings', async () => {
  const gone = new WeakRef({});
  const collector = createCollector();
  for (let i = 0; i < 100; i += 1) collector(mb / 2);
  await turn();
  expect(gone.deref()).toBeDefined();
  collector(8 * mb);
  await turn();
  await turn();
  expect(gone.deref()).toBeUndefined();
});

test('createCollector does not add gc to globalThis', async () => {
  const collector = createCollector();
  collector(8 * mb);
  await turn();
  expect(globalThis).not.toHaveProperty('gc');
});

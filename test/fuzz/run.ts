import { parseArgs } from 'node:util';
import { holdLaw, type LawResult } from './law.ts';

/** `npm run fuzz -- [--seconds N] [--seed S] [--case N [--keys]]`: the law, for as long as it is wanted. */

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string' },
    case: { type: 'string' },
    keys: { type: 'boolean', default: false },
  },
});
const seed = values.seed === undefined ? Math.floor(Math.random() * 1_000_000) : Number(values.seed);
const only = values.case === undefined ? undefined : Number(values.case);
const withinMs = Number(values.seconds) * 500;
process.stdout.write(`seed ${seed}\n`);

let isBroken = false;
for (const withKeys of only === undefined ? [false, true] : [values.keys]) {
  const title = withKeys ? 'with keys' : 'without keys';
  const onProgress = (done: number): void => {
    if (process.stdout.isTTY) process.stdout.write(`\r${title}: ${done} cases`);
  };
  const result = await holdLaw({ seed, withinMs, only, withKeys, onProgress });
  process.stdout.write(
    `${process.stdout.isTTY ? '\r' : ''}${title}: ${result.cases} cases, ${result.broken.length} broken, ${memory(result)}\n`,
  );
  for (const { n, what, why } of result.broken) {
    isBroken = true;
    const again = n < 0 ? '' : `\n  again: npm run fuzz -- --seed ${seed} --case ${n}${withKeys ? ' --keys' : ''}`;
    process.stdout.write(`- ${what}: ${why}${again}\n`);
  }
}
process.exitCode = isBroken ? 1 : 0;

function memory({ heap, rss }: LawResult): string {
  const mb = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
  return `heap ${mb(heap[0])} → ${mb(heap[1])}, rss ${mb(rss[0])} → ${mb(rss[1])}`;
}

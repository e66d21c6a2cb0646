import { parseArgs } from 'node:util';
import { checkFront } from './front/law.ts';
import { runFuzz, type FuzzResult } from './law.ts';
import { compareCases } from './wire-answers/compare.ts';

/**
 * `npm run fuzz -- [--seconds N] [--answers N] [--front N] [--seed S] [--case N [--keys]] [--front-case N]`: runs the law for the
 * given time, compares the response parser with two others, and compares the two readers of connections, each for the given number
 * of cases.
 */

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    answers: { type: 'string', default: '1000000' },
    front: { type: 'string', default: '1000000' },
    'front-case': { type: 'string' },
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
const frontOnly = values['front-case'];
const answers = only === undefined && frontOnly === undefined ? Number(values.answers) : 0;
if (answers > 0) {
  const { cases, accepted, broken } = await compareCases({ seed, cases: answers, onProgress: progress('answers') });
  process.stdout.write(`${process.stdout.isTTY ? '\r' : ''}answers: ${cases} cases, ${accepted} whole, ${broken.length} broken\n`);
  for (const { n, why, method, text } of broken) {
    isBroken = true;
    process.stdout.write(`- case ${n}: ${why}\n  ${method} ${JSON.stringify(text)}\n`);
  }
}
if (only === undefined) isBroken = (await fuzzFront()) || isBroken;
const rounds = frontOnly !== undefined || withinMs === 0 ? [] : [false, true];
for (const withKeys of only === undefined ? rounds : [values.keys]) {
  const title = withKeys ? 'with keys' : 'without keys';
  const result = await runFuzz({ seed, withinMs, only, withKeys, onProgress: progress(title) });
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

/** Compares the gateway's own reader with `node:http`. True if they differ. */
async function fuzzFront(): Promise<boolean> {
  const count = frontOnly === undefined ? Number(values.front) : 1;
  const { cases, plain, broken } = await checkFront(seed, Number(frontOnly ?? 0), count, progress('front'));
  process.stdout.write(
    `${process.stdout.isTTY ? '\r' : ''}front: ${cases} connections, ${plain} requests read on the socket, ${broken.length} broken\n`,
  );
  for (const { n, pieces, gateway, node } of broken) {
    process.stdout.write(
      `- ${JSON.stringify(pieces)}\n  on the socket: ${JSON.stringify(gateway)}\n  node:http: ${JSON.stringify(node)}\n`,
    );
    process.stdout.write(`  again: npm run fuzz -- --seed ${seed} --front-case ${n}\n`);
  }
  return broken.length > 0;
}

function progress(title: string): (done: number) => void {
  return (done) => {
    if (process.stdout.isTTY) process.stdout.write(`\r${title}: ${done} cases`);
  };
}

function memory({ heap, rss }: FuzzResult): string {
  const mb = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
  return `heap ${mb(heap[0])} → ${mb(heap[1])}, rss ${mb(rss[0])} → ${mb(rss[1])}`;
}

import { createMask } from '../../core/secrets/mask.ts';
import type { Registry } from '../../gateway/types.ts';
import { type CliIo, hasColors } from '../io.ts';
import type { CatalogEntry } from '../../manage/providers/catalog-entry.ts';
import { hostOf, shortHost } from '../../manage/providers/probe-request.ts';
import { type ProviderTestResult, type ProviderTestOptions, testProvider } from '../../manage/providers/test-provider.ts';
import { type Catalog, openCatalog, selectedEntries } from './catalog.ts';
import { exitCodes, type CommonFlags } from '../command.ts';
import { durationOf, timeoutBounds } from '../flag-values.ts';
import { jsonText, padEnd, textWidth } from '../text.ts';
import { commandOutbound } from './outbound.ts';

export interface TestFlags extends CommonFlags {
  /** Also make requests that cost tokens: one token for each deployment. */
  readonly deep?: boolean | undefined;
  /** Timeout of each request, such as `10s`. */
  readonly timeout?: string | undefined;
}

/** Number of entries tested at the same time. */
const maxConcurrent = 8;
const defaultTimeoutMs = 10_000;

/** `gateway providers test [SLUG…]`: tests each entry with its real credential and the cheapest calls. Returns the exit code. */
export async function testProviders(slugs: readonly string[], flags: TestFlags, io: CliIo, registry: Registry): Promise<number> {
  const timeoutMs = flags.timeout === undefined ? defaultTimeoutMs : durationOf('timeout', flags.timeout, timeoutBounds);
  let egress: Catalog['egress'];
  const outbound = commandOutbound(io, () => egress);
  try {
    const catalog = await openCatalog(flags, io, registry, outbound.sign);
    ({ egress } = catalog);
    const entries = selectedEntries(catalog, slugs);
    const mask = createMask(catalog.secrets);
    return await tryAll(entries, { flags, io, trial: { deep: flags.deep === true, outbound, timeoutMs, mask: (text) => mask.text(text) } });
  } finally {
    await outbound.close();
  }
}

interface TestRun {
  readonly flags: TestFlags;
  readonly io: CliIo;
  readonly trial: ProviderTestOptions;
}

async function tryAll(entries: readonly CatalogEntry[], round: TestRun): Promise<number> {
  const { flags, io, trial } = round;
  const print = printer(entries, round);
  const results: ProviderTestResult[] = [];
  const running = inParallel(entries, maxConcurrent, (one) => testProvider(one, trial));
  for (const promise of running) {
    const tested = await promise;
    results.push(tested);
    if (flags.json !== true) print(tested);
  }
  if (flags.json === true) io.stdout.write(jsonText(results));
  if (entries.length === 0) io.stderr.write('no providers to test\n');
  return results.length === 0 || results.some(({ state }) => state === 'fail') ? exitCodes.no : exitCodes.yes;
}

/** Starts the work in order, with at most `limit` items running. Each promise resolves with its own item. `work` must not reject. */
function inParallel<A, B>(items: readonly A[], limit: number, work: (item: A) => Promise<B>): readonly Promise<B>[] {
  const promises: Promise<B>[] = [];
  for (const [i, item] of items.entries()) {
    const before = promises[i - limit];
    promises.push(before === undefined ? work(item) : before.then(() => work(item)));
  }
  return promises;
}

/** Prints one line per entry, in order, as soon as its result is available. */
function printer(entries: readonly CatalogEntry[], { io }: TestRun): (tested: ProviderTestResult) => void {
  const slugs = Math.max(0, ...entries.map(({ slug }) => textWidth(slug)));
  const hosts = Math.max(0, ...entries.map((one) => shortHost(hostOf(one) ?? '-').length));
  const colors = hasColors(io.stdout, io);
  const paint = (state: ProviderTestResult['state'], text: string): string => (colors ? `\u001b[${paints[state]}m${text}\u001b[0m` : text);
  return ({ slug, state, host, says, fix, ms }) => {
    const label = (state === 'fail' ? 'FAIL' : state).padEnd(4);
    const lead = `${padEnd(slug, slugs)}   ${paint(state, label)}   `;
    if (state === 'off') return void io.stdout.write(`${lead}${says}\n`);
    const time = ms === null || state === 'fail' ? '' : `${ms} ms`;
    const line = `${lead}${shortHost(host ?? '-').padEnd(hosts)}   ${state === 'fail' ? says : padEnd(says, 36)}   ${time}`.trimEnd();
    const below = fix === null ? '' : `${' '.repeat(slugs + 10)}fix: ${fix}\n`;
    return void io.stdout.write(`${line}\n${below}`);
  };
}

const paints = { ok: 32, fail: 31, off: 2 } as const;

import { createMask } from '../../core/secrets/mask.ts';
import { parseDuration } from '../../core/text/units.ts';
import type { Registry } from '../../gateway/types.ts';
import { createOutbound, type Outbound } from '../../transport/outbound/index.ts';
import { type CliIo, hasColors } from '../io.ts';
import { type Catalog, type CatalogEntry, chosen, openCatalog, whyOff } from './catalog.ts';
import { hostOf, shortHost } from './facts.ts';
import { type Probed, runProbe } from './probe.ts';
import { child, entriesOf, type Node } from '../../config/read/node.ts';
import { isSecretKey } from '../../config/read/secrets.ts';
import { CommandError, exitCodes, type CommonFlags } from '../command.ts';
import { plural, jsonText } from '../text.ts';

export interface TestFlags extends CommonFlags {
  /** Also requests that cost tokens: one token for each deployment. */
  readonly deep?: boolean | undefined;
  /** For each request, as `10s`. */
  readonly timeout?: string | undefined;
}

/** Entries that are tried at the same time. */
const atOnce = 8;
const defaultTimeoutMs = 10_000;

/** What is known of an entry after its probes. */
export interface Tested {
  readonly slug: string;
  readonly type: string;
  readonly state: 'ok' | 'fail' | 'off';
  readonly host: string | null;
  readonly says: string;
  readonly fix: string | null;
  readonly status: number | null;
  readonly models: number | null;
  readonly deployments: { readonly ok: number; readonly of: number } | null;
  readonly ms: number | null;
}

/** `gateway providers test [SLUG…]`: proves each entry with its real credential and the cheapest calls. Returns the exit code. */
export async function testProviders(slugs: readonly string[], flags: TestFlags, io: CliIo, registry: Registry): Promise<number> {
  const timeoutMs = flags.timeout === undefined ? defaultTimeoutMs : parseDuration(flags.timeout);
  if (timeoutMs === undefined || timeoutMs <= 0)
    throw new CommandError(exitCodes.usage, `"${flags.timeout}" is not a duration; write it like 10s or 500ms`);
  let allowed: readonly string[] = [];
  const outbound = createOutbound({
    clock: { now: Date.now, monotonic: () => performance.now() },
    random: Math.random,
    egressAllow: () => allowed,
    env: io.env,
    onTokenFault: () => {},
    onKeysFault: () => {},
  });
  try {
    const catalog = await openCatalog(flags, io, registry, outbound.sign);
    allowed = catalog.egressAllow;
    const entries = chosen(catalog, slugs);
    return await tryAll(entries, catalog, { flags, io, outbound, timeoutMs });
  } finally {
    await outbound.upstream.close();
  }
}

interface Trial {
  readonly flags: TestFlags;
  readonly io: CliIo;
  readonly outbound: Outbound;
  readonly timeoutMs: number;
}

async function tryAll(entries: readonly CatalogEntry[], catalog: Catalog, trial: Trial): Promise<number> {
  const { flags, io } = trial;
  const mask = createMask([...catalog.secrets]);
  const print = printer(entries, trial);
  const results: Tested[] = [];
  const running = inParallel(entries, atOnce, (one) => tryOne(one, trial));
  for (const promise of running) {
    const { says, fix, ...rest } = await promise;
    const tested: Tested = { ...rest, says: mask.text(says), fix: fix === null ? null : mask.text(fix) };
    results.push(tested);
    if (flags.json !== true) print(tested);
  }
  if (flags.json === true) io.stdout.write(jsonText(results));
  if (entries.length === 0) io.stderr.write('no providers to test\n');
  return results.length === 0 || results.some(({ state }) => state === 'fail') ? exitCodes.no : exitCodes.yes;
}

/** Starts the work in order, so many at a time; each promise ends with its own piece. `work` must not reject. */
function inParallel<A, B>(items: readonly A[], limit: number, work: (item: A) => Promise<B>): readonly Promise<B>[] {
  const promises: Promise<B>[] = [];
  for (const [i, item] of items.entries()) {
    const before = promises[i - limit];
    promises.push(before === undefined ? work(item) : before.then(() => work(item)));
  }
  return promises;
}

async function tryOne(one: CatalogEntry, { flags, outbound, timeoutMs }: Trial): Promise<Tested> {
  const host = hostOf(one) ?? null;
  const known = { slug: one.slug, type: one.binding.provider.type, host };
  const nothing = { fix: null, status: null, models: null, deployments: null, ms: null } as const;
  const off = whyOff(one) ?? (one.binding.owner === 'caller' ? 'each caller sends the credential' : undefined);
  if (off !== undefined) return { ...known, ...nothing, state: 'off', says: off };
  const probes = one.binding.provider.entry.probe?.(one.binding.settings, flags.deep === true) ?? [];
  if (probes.length === 0) return { ...known, ...nothing, state: 'off', says: 'this type cannot be tested' };
  const begun = performance.now();
  const done: Probed[] = [];
  for (const probe of probes) {
    const result = await runProbe(one, probe, outbound, timeoutMs);
    done.push(result);
    if (!result.isGood && probe.proves === 'credential') break;
  }
  return { ...known, ...verdict(one, done), ms: Math.round(performance.now() - begun) };
}

function verdict(one: CatalogEntry, done: readonly Probed[]): Omit<Tested, 'slug' | 'type' | 'host' | 'ms'> {
  const wrong = done.find(({ isGood }) => !isGood);
  const counted = done.filter(({ probe }) => probe.proves === 'deployment');
  const ok = counted.filter(({ isGood }) => isGood).length;
  const deployments = counted.length === 0 ? null : { ok, of: counted.length };
  const models = done.find((each) => each.models !== undefined)?.models ?? null;
  if (wrong !== undefined) {
    const of = counted.length === 0 ? '' : `${ok} of ${counted.length} deployments; "${wrong.probe.model}": `;
    const says = `${of}${wrong.status === 0 ? '' : `${wrong.status} `}${wrong.says ?? ''}`.trim();
    return { state: 'fail', says, fix: fixFor(one, wrong) ?? null, status: wrong.status === 0 ? null : wrong.status, models, deployments };
  }
  const { provider, settings } = one.binding;
  const listed = provider.entry.deployment === undefined ? 0 : (provider.entry.models?.(settings).length ?? 0);
  const facts = [
    done.find(({ says }) => says !== undefined)?.says ?? (one.binding.owner === 'none' ? 'responds without a key' : 'key valid'),
    ...(models === null ? [] : [plural(models, 'model')]),
    ...(deployments === null ? [] : [`${ok} of ${counted.length} deployments`]),
    ...(deployments === null && listed > 0 ? [`${plural(listed, 'deployment')} not tested`] : []),
  ];
  return { state: 'ok', says: facts.join(' · '), fix: null, status: done.at(-1)?.status ?? null, models, deployments };
}

/** One line an entry, as soon as it and those before it are known. */
function printer(entries: readonly CatalogEntry[], { flags, io }: Trial): (tested: Tested) => void {
  const slugs = Math.max(0, ...entries.map(({ slug }) => slug.length));
  const hosts = Math.max(0, ...entries.map((one) => shortHost(hostOf(one) ?? '-').length));
  const colors = hasColors(io.stdout, io.env, flags.color);
  const paint = (state: Tested['state'], text: string): string => (colors ? `\u001b[${paints[state]}m${text}\u001b[0m` : text);
  return ({ slug, state, host, says, fix, ms }) => {
    const word = (state === 'fail' ? 'FAIL' : state).padEnd(4);
    const lead = `${slug.padEnd(slugs)}   ${paint(state, word)}   `;
    if (state === 'off') return void io.stdout.write(`${lead}${says}\n`);
    const time = ms === null || state === 'fail' ? '' : `${ms} ms`;
    const line = `${lead}${shortHost(host ?? '-').padEnd(hosts)}   ${state === 'fail' ? says : says.padEnd(36)}   ${time}`.trimEnd();
    const below = fix === null ? '' : `${' '.repeat(slugs + 10)}fix: ${fix}\n`;
    return void io.stdout.write(`${line}\n${below}`);
  };
}

const paints = { ok: 32, fail: 31, off: 2 } as const;

/** What to do about a failed probe, in one line: the type's own words first. */
export function fixFor(one: CatalogEntry, { status, fix, probe }: Probed): string | undefined {
  if (fix !== undefined) return fix.replace(/\.$/, '');
  switch (status) {
    case 401:
      return `check ${secretOf(one) ?? 'the credential'}: the service does not accept it`;
    case 403:
      return 'the credential is known but may not do this: give it the permission, or let this network in';
    case 404:
      return probe.proves === 'deployment'
        ? `check the deployment "${probe.model}" and its version`
        : 'check the host and the service behind it';
    case 429:
      return 'the credential is accepted, but its quota is used up: raise it or wait';
    case 301:
    case 302:
    case 303:
    case 307:
    case 308:
      return 'the service redirects requests, and the gateway does not follow redirects: check the host';
    default:
      return status >= 500 ? 'the service has a problem: try again later' : undefined;
  }
}

/** The first secret of an entry, as `api_key (${env:NAME})`. */
function secretOf({ written }: CatalogEntry): string | undefined {
  return written === undefined ? undefined : secretIn(written.value, '');
}

function secretIn(node: Node, path: string): string | undefined {
  for (const { key, value } of entriesOf(node)) {
    const name = path === '' ? key : `${path}.${key}`;
    if (value.kind === 'scalar' && isSecretKey(key)) {
      const reference = /\$\{(?:env|file):[^{}:]*/.exec(value.text)?.[0];
      return reference === undefined ? name : `${name} (${reference}})`;
    }
    const below = secretIn(child(node, key) ?? value, name);
    if (below !== undefined) return below;
  }
  return undefined;
}

import { child, entriesOf, type Node } from '../../config/read/node.ts';
import { isSecretKey } from '../../config/read/secrets.ts';
import type { Probe } from '../../core/provider.ts';
import { plural, withoutFullStop } from '../../core/text/wording.ts';
import { errorMessage } from '../../core/error.ts';
import { type CatalogEntry, disabledReason } from './catalog-entry.ts';
import { hostOf } from './probe-request.ts';
import { oneLine, type ProbeOptions, type ProbeResult, runProbe } from './probe.ts';

/** Options of a test. */
export interface ProviderTestOptions extends ProbeOptions {
  /** Also sends requests that cost tokens: one token per deployment. */
  readonly deep: boolean;
}

/** Result of testing a provider. */
export interface ProviderTestResult {
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

/** Tests a provider with its real credential and the cheapest requests. Never rejects. */
export async function testProvider(one: CatalogEntry, trial: ProviderTestOptions): Promise<ProviderTestResult> {
  const host = hostOf(one) ?? null;
  const known = { slug: one.slug, type: one.binding.provider.type, host };
  const nothing = { fix: null, status: null, models: null, deployments: null, ms: null } as const;
  const off = disabledReason(one) ?? (one.binding.owner === 'caller' ? 'each caller sends the credential' : undefined);
  if (off !== undefined) return { ...known, ...nothing, state: 'off', says: off };
  let probes: readonly Probe[];
  try {
    probes = one.binding.provider.entry.probe?.(one.binding.settings, trial.deep) ?? [];
  } catch (error) {
    return { ...known, ...nothing, state: 'fail', says: oneLine(errorMessage(error), trial.mask) };
  }
  if (probes.length === 0) return { ...known, ...nothing, state: 'off', says: 'this type cannot be tested' };
  const begun = performance.now();
  const done: ProbeResult[] = [];
  for (const probe of probes) {
    const result = await runProbe(one, probe, trial);
    done.push(result);
    if (!result.isGood && probe.proves === 'credential') break;
  }
  const { says, fix, ...rest } = verdict(one, done);
  const ms = Math.round(performance.now() - begun);
  return { ...known, ...rest, says: trial.mask(says), fix: fix === null ? null : trial.mask(fix), ms };
}

function verdict(one: CatalogEntry, done: readonly ProbeResult[]): Omit<ProviderTestResult, 'slug' | 'type' | 'host' | 'ms'> {
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

/** Returns a hint for a failed probe, in one line, preferably the provider type's own. */
function fixFor(one: CatalogEntry, { status, fix, probe }: ProbeResult): string | undefined {
  if (fix !== undefined) return withoutFullStop(fix);
  switch (status) {
    case 401:
      return `check ${secretOf(one) ?? 'the credential'}: the service does not accept it`;
    case 403:
      return 'the credential is valid but lacks the permission: grant it, or allow this network';
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

/** Returns the first secret of a provider, as `api_key (${env:NAME})`. */
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

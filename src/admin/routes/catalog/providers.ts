import type { Figures } from '../../../core/logs/reader.ts';
import { isJsonObject } from '../../../core/json/merge.ts';
import { formatPath } from '../../../config/read/node.ts';
import { isSecretKey } from '../../../config/read/secrets.ts';
import type { WrittenLocations } from '../../../config/report/origins.ts';
import { type CatalogEntry, disabledReason } from '../../../manage/providers/catalog-entry.ts';
import { hostOf, modelsOf } from '../../../manage/providers/probe-request.ts';
import type { ProviderHealth, ProviderPage, ProviderTest, ProviderView } from '../../api-types.ts';
import { noFigures } from '../../health.ts';
import { figuresOf, type LogResult, readLog } from '../../views/named-figures.ts';
import { pageOf } from '../../views/page.ts';
import { notFound } from '../not-found.ts';
import { pageIn, pageParameters } from '../page.ts';
import { type AdminCall, type AdminRoute, flagIn, isSet } from '../route.ts';

const usage = '`false`: without cost, and without waiting for the request log';

export const providerRoutes: readonly AdminRoute[] = [
  {
    method: 'GET',
    path: '/api/providers',
    role: 'viewer',
    about: 'The providers and their state, one page at a time. Credentials are shown as references.',
    query: {
      ...pageParameters('providers', 'words that the name, type, state, models and deployments of a provider must contain'),
      usage,
    },
    returns: '`ProviderPage`',
    handle: async (call) => ({ json: await providersOf(call) }),
  },
  {
    method: 'GET',
    path: '/api/providers/{slug}',
    role: 'viewer',
    about: 'A provider and its state. Its credential is shown as a reference.',
    query: { usage },
    returns: '`ProviderView`',
    handle: async (call) => {
      await call.subject.refreshWorkerFigures();
      const [view] = await viewsOf(call, [providerNamed(call)]);
      return { json: view };
    },
  },
  {
    method: 'POST',
    path: '/api/providers/{slug}/test',
    role: 'operator',
    about: 'Tests a provider with its real credential and the cheapest call, as `gateway providers test` does.',
    body: { deep: 'true: also sends a request for one token to each deployment' },
    returns: '`ProviderTest`',
    limitMs: 120_000,
    handle: async (call) => {
      return { json: await testProvider(call, isSet(await call.body(), 'deep')) };
    },
  },
];

/** The provider in the path. @throws GatewayError `provider_not_found` */
function providerNamed({ subject, params }: AdminCall): CatalogEntry {
  const slug = params['slug'] ?? '';
  const entries = subject.catalog();
  const entry = entries.find((one) => one.slug === slug);
  if (entry !== undefined) return entry;
  throw notFound(
    'provider',
    slug,
    entries.map((one) => one.slug),
  );
}

async function testProvider(call: AdminCall, deep: boolean): Promise<ProviderTest> {
  const { subject } = call;
  const { state, says, fix, ms } = await subject.testProvider(providerNamed(call), deep);
  const mask = subject.mask();
  return { ok: state === 'ok', message: mask.text(says), hint: fix === null ? null : mask.text(fix), ms: ms ?? 0 };
}

async function providersOf(call: AdminCall): Promise<ProviderPage> {
  const { subject, query } = call;
  await subject.refreshWorkerFigures();
  const states = new Map(subject.health().map(({ slug, state }) => [slug, state]));
  const textOf = (one: CatalogEntry): string => searchTextOf(one, states.get(one.slug));
  const { entries, page } = pageOf(subject.catalog(), pageIn(query), ({ slug }) => slug, textOf);
  return { providers: await viewsOf(call, entries), ...page };
}

function searchTextOf(one: CatalogEntry, state: ProviderHealth['state'] = 'idle'): string {
  const { slug, entry, binding } = one;
  const deployments = deploymentsOf(entry).flatMap(({ alias, deployment, foundation_model: model }) => [alias, deployment, model]);
  return [slug, binding.provider.type, entry.name, state, ...modelsOf(one), ...deployments].join('\n');
}

async function viewsOf({ subject, query }: AdminCall, entries: readonly CatalogEntry[]): Promise<readonly ProviderView[]> {
  const health = new Map(subject.health().map((one) => [one.slug, one]));
  const slugs = entries.map(({ slug }) => slug);
  const [written, { found: today, fault }] = await Promise.all([
    subject.written(),
    flagIn(query, 'usage', true) && slugs.length > 0 ? costOf(subject, slugs) : { found: undefined, fault: null },
  ]);
  const mask = subject.mask();
  const secrets = secretsByPath(written);
  return entries.map((one): ProviderView => {
    const { slug, entry, binding } = one;
    const path = formatPath(['providers', slug]);
    return {
      slug,
      type: binding.provider.type,
      name: entry.name ?? null,
      description: entry.description ?? null,
      at: written.locations[path] ?? null,
      host: hostOf(one) ?? null,
      enabled: entry.enabled !== false,
      problem: disabledReason(one) ?? binding.unusable?.message ?? null,
      credential: mask.text(secrets.get(path) ?? credentialOf(one)),
      models: modelsOf(one),
      deployments: deploymentsOf(entry),
      health: health.get(slug) ?? idle(slug),
      cost_today_usd: today?.(slug).cost_usd ?? null,
      log_fault: fault,
    };
  });
}

const costOf = async (subject: AdminCall['subject'], slugs: readonly string[]): Promise<LogResult<(slug: string) => Figures>> =>
  readLog(subject, (logs) => figuresOf(logs, 'provider', slugs, new Date().toISOString().slice(0, 10)));

const idle = (slug: string): ProviderHealth => ({ slug, state: 'idle', figures: noFigures, last_error: null });

/** The first secret below each path of the configuration, as written: usually a reference. */
function secretsByPath({ values }: WrittenLocations): ReadonlyMap<string, string> {
  const secrets = new Map<string, string>();
  for (const { path, value } of values) {
    if (!isSecretKey(/[^.[\]]+$/.exec(path)?.[0])) continue;
    for (let end = path.lastIndexOf('.'); end > 0; end = path.lastIndexOf('.', end - 1)) {
      const parent = path.slice(0, end);
      if (!secrets.has(parent)) secrets.set(parent, value);
    }
  }
  return secrets;
}

/** Describes a credential that is not a secret in the configuration. */
function credentialOf({ binding, entry }: CatalogEntry): string {
  if (binding.owner === 'caller') return 'each caller sends it';
  const auth: unknown = entry['auth'];
  return isJsonObject(auth) && typeof auth['mode'] === 'string' ? auth['mode'] : 'none';
}

function deploymentsOf(entry: CatalogEntry['entry']): ProviderView['deployments'] {
  const deployments: unknown = entry['deployments'];
  if (!isJsonObject(deployments)) return [];
  return Object.entries(deployments).flatMap(([alias, found]) => {
    if (!isJsonObject(found)) return [];
    const text = (name: string): string | null => (typeof found[name] === 'string' ? found[name] : null);
    return [{ alias, deployment: text('deployment_id') ?? text('target_uri') ?? alias, foundation_model: text('foundation_model') }];
  });
}

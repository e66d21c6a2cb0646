import { createHash } from 'node:crypto';
import type { Recorded } from './exchanges.ts';

/**
 * How one exchange is sent: `pieces` as recorded, by the name of a config; `fine` and `coarse` with the response split at
 * awkward positions, by an alias that the target rewrites, and by a config sent as JSON.
 */
export type Split = 'pieces' | 'fine' | 'coarse';
export const splits: readonly Split[] = ['pieces', 'fine', 'coarse'];

export const callerKey = 'gw-caller-key-0123456789';
export const catalogKeys = { openai: 'sk-catalog-openai-0123456789', 'azure-openai': 'catalog-azure-0123456789' } as const;

/** One exchange with one split: the request to the gateway, and the expected request to the provider. */
export interface Case {
  readonly exchange: Recorded;
  readonly split: Split;
  readonly slug: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly expected: {
    readonly path: string;
    readonly query: Readonly<Record<string, string>>;
    readonly body: string;
    readonly model: string | null;
  };
}

const deploymentPath = /^\/openai\/deployments\/([^/]+)\//;

/** The deployment and path of a recorded request, for the provider in the configuration. */
function azurePlace(exchange: Recorded): { deployment: string; version: string; path: string; query: Readonly<Record<string, string>> } {
  const url = new URL(exchange.request.url);
  const deployment = deploymentPath.exec(url.pathname)?.[1];
  const version = url.searchParams.get('api-version');
  // One client omitted the deployment and got a 404. The gateway always names one.
  const path = url.pathname.startsWith('/openai/') ? url.pathname : `/openai/deployments/none${url.pathname}`;
  return {
    deployment: deployment ?? (path === url.pathname ? String(exchange.request.body?.['model']) : 'none'),
    version: version ?? (path.includes('/v1/') ? 'v1' : '2024-10-21'),
    path,
    query: version === null && !path.includes('/v1/') ? { 'api-version': '2024-10-21' } : Object.fromEntries(url.searchParams),
  };
}

/** The path of the provider's base URL, and the route after it. */
function vendorPlace({ request }: Recorded): { base: string; route: string } {
  const { pathname } = new URL(request.url);
  const route = /\/(?:chat\/completions|models)$/.exec(pathname)?.[0] ?? pathname.slice(pathname.indexOf('/v1') + 3);
  return { base: pathname.slice(0, -route.length), route };
}

/** Up to this many bytes, a response is split most finely: a complete one is only collected, a stream is parsed by chunk. */
const shortest = { whole: 300, stream: 2_000 } as const;

/** The chunk size in bytes, smallest for short responses: half a million chunks would test nothing more. */
function splitOf(exchange: Recorded, split: Split): string {
  if (split === 'pieces') return '';
  const isShort = Buffer.byteLength(exchange.response.body ?? '') <= shortest[exchange.stream ? 'stream' : 'whole'];
  const [small, large] = split === 'fine' ? [1, 29] : [7, 127];
  return `,split=${isShort ? small : large}`;
}

const slugOf = (exchange: Recorded, split: Split): string => `${exchange.id}.${split}`.replaceAll('_', '-').toLowerCase();

const isAzure = (exchange: Recorded): boolean => exchange.provider === 'azure-openai';

/** The model as the client names it: the recorded name, or the alias of a deployment. */
const requestedModel = (exchange: Recorded): string | undefined => {
  const { body } = exchange.request;
  if (body === undefined) return undefined;
  return isAzure(exchange) ? 'recorded-alias' : String(body['model']);
};

/** `gateway.yaml` with a provider and a fallback for every exchange and manner; JSON is valid YAML. */
export function catalog(exchanges: readonly Recorded[], replay: string, deadPort: number): string {
  const providers: Record<string, unknown> = {
    dead: { type: 'openai', api_key: 'sk-dead-0123456789', custom_host: `http://127.0.0.1:${deadPort}/v1` },
  };
  const configs: Record<string, unknown> = {};
  for (const exchange of exchanges) {
    for (const split of splits) {
      const slug = slugOf(exchange, split);
      providers[slug] = entry(exchange, `${replay}/x/${exchange.id}${splitOf(exchange, split)}`);
      const model = requestedModel(exchange);
      const override = split === 'fine' && model !== undefined ? { override_params: { model } } : {};
      configs[slug] = {
        ...strictnessOf(exchange),
        strategy: { mode: 'fallback' },
        targets: [{ provider: 'dead' }, { provider: slug, ...override }],
      };
    }
  }
  const hash = `sha256:${createHash('sha256').update(callerKey).digest('hex')}`;
  return JSON.stringify({ version: 1, api_keys: { tests: { hash } }, providers, configs, logging: { requests: { bodies: 'full' } } });
}

function entry(exchange: Recorded, base: string): Readonly<Record<string, unknown>> {
  if (!isAzure(exchange)) return { type: exchange.provider, api_key: catalogKeys.openai, custom_host: base + vendorPlace(exchange).base };
  const { deployment, version } = azurePlace(exchange);
  return {
    type: 'azure-openai',
    api_key: catalogKeys['azure-openai'],
    custom_host: `${base}/openai${version === 'v1' ? '/v1' : ''}`,
    deployments: { 'recorded-alias': { deployment_id: deployment, api_version: version, foundation_model: 'recorded' } },
  };
}

export function caseOf(exchange: Recorded, split: Split): Case {
  const slug = slugOf(exchange, split);
  const model = requestedModel(exchange);
  const modelName = split === 'fine' ? 'some-alias-of-ours' : model;
  const azure = isAzure(exchange) ? azurePlace(exchange) : undefined;
  const url = new URL(exchange.request.url);
  const sent = azure?.deployment ?? model;
  return {
    exchange,
    split,
    slug,
    path:
      azure === undefined
        ? `/v1${vendorPlace(exchange).route}${url.search}`
        : `/v1/${azure.path.replace(deploymentPath, '').replace(/^\/openai\/(?:v1\/)?/, '')}`,
    headers: {
      ...credentials[split],
      ...configHeader(exchange, slug, split),
      ...(model === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: bodyOf(exchange, modelName),
    expected: {
      path: azure?.path ?? url.pathname,
      query: azure?.query ?? Object.fromEntries(url.searchParams),
      body: bodyOf(exchange, sent) ?? '',
      model: sent ?? null,
    },
  };
}

/** Every header that may contain the caller's gateway key; another key beside it must not be forwarded either. */
const credentials: Readonly<Record<Split, Readonly<Record<string, string>>>> = {
  pieces: { authorization: `Bearer ${callerKey}` },
  fine: { 'x-portkey-api-key': callerKey, 'api-key': 'sk-of-the-caller-0123456789' },
  coarse: { 'x-gateway-api-key': callerKey, authorization: 'Bearer sk-of-the-caller-0123456789' },
};

/** Strict clients do not get content that is a list of parts. */
const strictnessOf = ({ response }: Recorded): { readonly strict_compliance?: false } =>
  (response.body ?? '').includes('"content":[{') ? { strict_compliance: false } : {};

function configHeader(exchange: Recorded, slug: string, split: Split): Readonly<Record<string, string>> {
  if (split === 'pieces') return { 'x-gateway-config': slug };
  if (split === 'fine') return { 'x-portkey-config': slug };
  return {
    'x-gateway-config': JSON.stringify({
      ...strictnessOf(exchange),
      strategy: { mode: 'fallback' },
      targets: [{ provider: '@dead' }, { provider: `@${slug}` }],
    }),
  };
}

/** The recorded body with its model replaced. */
function bodyOf({ request: { body } }: Recorded, model: string | undefined): string | undefined {
  return body === undefined ? undefined : JSON.stringify({ ...body, model });
}

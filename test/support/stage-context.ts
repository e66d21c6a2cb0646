import { createHash } from 'node:crypto';
import { headerNames, RequestHeaderBag } from '../../src/transport/inbound/header-bag.ts';
import { noPrices } from '../../src/core/cost/book.ts';
import { createPlanner } from '../../src/config/compile/targets/plan.ts';
import { emptyBody, JsonBody } from '../../src/core/json/body.ts';
import type { RequestBody } from '../../src/core/http/request.ts';
import type { Caller, Routed } from '../../src/core/context.ts';
import { MemoryBudget, MemoryReservation } from '../../src/core/memory/budget.ts';
import { GatewayError } from '../../src/core/error.ts';
import { defaultPrefixes } from '../../src/core/http/headers.ts';
import { requestLimits } from '../../src/core/json/limits.ts';
import type { Attempt } from '../../src/core/plan.ts';
import type { Plugin, PluginHost, PluginInstance } from '../../src/core/plugin.ts';
import { defineProvider, type Provider, type ProviderEntry } from '../../src/core/provider.ts';
import { namedPatterns } from '../../src/core/redaction/find/hits.ts';
import { BodyRedactor } from '../../src/core/redaction/index.ts';
import type { ApiKey, Branch, CompiledConfig, CredentialRef, Leaf, ProviderBinding, Snapshot } from '../../src/core/snapshot.ts';

/** Small snapshots and requests for the tests of the stages; everything can be overridden. */

type Headers = Readonly<Record<string, string>>;

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** 2026-11-21T12:00:00Z */
export const noon = 1_795_262_400_000;

export function makeHost(overrides: Partial<PluginHost> = {}): PluginHost {
  return {
    shared: (_key, create) => create(() => {}),
    now: () => noon,
    sha256,
    media: () => Promise.reject(new Error('nothing is downloaded here')),
    jwt: () => ({ verify: () => Promise.reject(new Error('no token is proven here')) }),
    spent: () => 0n,
    countRequest: () => 0,
    note: () => undefined,
    error: (code, details) => new GatewayError(code, details),
    log: { warn: () => undefined, debug: () => undefined, request: () => undefined },
    ...overrides,
  };
}

/** Sets up a plugin; by default without options. */
export async function setUp(plugin: Plugin, options: unknown = {}, host: PluginHost = makeHost()): Promise<PluginInstance> {
  return plugin.setup(options, host);
}

const tap = () => ({
  event: () => 'content' as const,
  whole: () => undefined,
  complete: true,
  usage: undefined,
  finish: [],
  model: undefined,
  id: undefined,
  fault: undefined,
  contentEvents: 0,
});

/** A provider with the client's format. Its upstream address shows the settings that it received. */
export function makeProvider({
  entry,
  ...overrides
}: Partial<Omit<Provider, 'entry'>> & { readonly entry?: Partial<ProviderEntry> } = {}): Provider {
  return defineProvider({
    type: 'openai',
    aliases: [],
    entry: {
      settings: {},
      requestSettings: [],
      apiKey: 'required',
      credential: (_settings, key) => (key === undefined ? { scheme: 'none' } : { scheme: 'bearer', secret: key }),
      ...entry,
    },
    operations: {
      'chat/completions': {
        begin: (body, call) => ({
          request: {
            origin: call.settings.custom_host ?? 'https://api.example',
            path: '/v1/chat/completions',
            method: call.method,
            headers: ['content-type', 'application/json'],
            body: body.kind === 'json' && body.peek('model') !== call.model ? body.edit(new Map([['model', call.model]])) : body,
            dropped: [],
          },
          tap: tap(),
        }),
      },
    },
    fault: (_status, body) => {
      const { error } = JSON.parse(body) as { error: { message: string; code?: string; type?: string } };
      return error;
    },
    ...overrides,
  });
}

export const signed = (owner: CredentialRef['owner'], secret: string): CredentialRef => ({
  owner,
  headers: () => ['authorization', `Bearer ${secret}`],
});

export function makeBinding(slug: string, overrides: Partial<ProviderBinding> = {}): ProviderBinding {
  return {
    slug,
    virtualKey: undefined,
    provider: makeProvider(),
    settings: {},
    owner: 'catalog',
    trust: 'operator',
    allowsHost: () => false,
    allowsModel: () => true,
    timeouts: {},
    unusable: undefined,
    credential: (deployment) => signed('catalog', deployment?.apiKey ?? `secret-of-${slug}`),
    ...overrides,
  };
}

export function makeLeaf(overrides: Partial<Leaf> = {}): Leaf {
  return {
    strategy: 'leaf',
    path: 'config',
    name: undefined,
    weight: 1,
    parent: undefined,
    index: 0,
    root: 'configs.test',
    provider: undefined,
    override: undefined,
    retry: makeRetry(),
    timeouts: {},
    customHost: undefined,
    forwardHeaders: undefined,
    strict: undefined,
    ...overrides,
  };
}

/** The first attempt of a request at a target, with short timeouts. */
export const makeAttempt = (target: Leaf, overrides: Partial<Attempt> = {}): Attempt => ({
  index: 0,
  tries: 0,
  target,
  binding: makeBinding('main'),
  model: 'm',
  timeouts: { connect: 1, firstByte: 1, idle: 1, total: 1, request: target.timeouts.request },
  trust: 'operator',
  lane: 'express',
  call: undefined,
  translation: undefined,
  upstream: undefined,
  credential: undefined,
  forwarded: undefined,
  interception: undefined,
  echoes: 0,
  ...overrides,
});

export const makeRetry = (attempts = 0, codes: readonly number[] = [429, 500, 502, 503, 504], useRetryAfter = false): Leaf['retry'] => ({
  attempts,
  retries: (status) => codes.includes(status),
  useRetryAfter,
});

/** A branch with leaves; sets their parents and positions. */
export function makeBranch(strategy: Branch['strategy'], leaves: readonly Leaf[], overrides: Partial<Branch> = {}): Branch {
  const targets: Leaf[] = [];
  const branch: Branch = {
    strategy,
    path: 'config',
    name: undefined,
    weight: 1,
    parent: undefined,
    index: 0,
    targets,
    fallsBackOn: (status) => status < 200 || status > 299,
    ...overrides,
  };
  for (const [index, leaf] of leaves.entries()) targets.push({ ...leaf, parent: branch, index, path: `config.targets[${index}]` });
  return branch;
}

export const makeConfig = (name: string, root: Branch | Leaf): CompiledConfig => ({ name, root, metadata: {} });

export function makeKey(name: string, overrides: Partial<ApiKey> = {}): ApiKey {
  return {
    name,
    owner: `key:${name}`,
    isolated: true,
    id: '',
    defaultConfig: undefined,
    enforceConfig: false,
    metadata: {},
    expires: undefined,
    retires: undefined,
    revoked: undefined,
    allowsConfig: () => true,
    allowsProvider: () => true,
    allowsModel: () => true,
    allowsPrompt: () => true,
    allowsRegex: false,
    ...overrides,
  };
}

export interface SnapshotParts {
  readonly providers?: readonly ProviderBinding[];
  /** By the name used in the header. */
  readonly virtualKeys?: Readonly<Record<string, ProviderBinding>>;
  readonly types?: readonly Provider[];
  readonly configs?: readonly CompiledConfig[];
  /** By the text of the key. */
  readonly keys?: Readonly<Record<string, ApiKey>>;
  readonly overrides?: Partial<Snapshot>;
}

export function makeSnapshot(parts: SnapshotParts = {}): Snapshot {
  const types = new Map<string, Provider>();
  for (const provider of parts.types ?? [makeProvider()])
    for (const name of [provider.type, ...provider.aliases]) types.set(name, provider);
  return {
    revision: '91bd0e7',
    server: {
      maxBody: 1_000_000,
      maxResponse: 64_000_000,
      json: requestLimits,
      maxUpload: undefined,
      bodyTimeout: 600_000,
      memory: undefined,
      timeouts: { connect: 5_000, firstByte: 60_000, idle: 60_000, total: 600_000, request: undefined },
      corsOrigins: [],
      allowsAnonymous: false,
      headerPrefixes: defaultPrefixes,
      exposeRouting: true,
      maxInFlight: 100,
      maxInFlightPerKey: 100,
      maxConnections: 100,
      fastPath: true,
      drain: { delayMs: 0, timeoutMs: 0 },
      egressAllow: [],
      egressProxy: undefined,
    },
    log: {
      level: 'info',
      format: 'auto',
      bodies: 'none',
      read: 'full',
      keepsBodies: false,
      redactor: new BodyRedactor({ fields: [], patterns: new Set(namedPatterns), own: [], media: 'digest' }, []),
      sample: { success: 1, errors: 1 },
      clientMayLower: true,
      maxBody: 0,
    },
    observability: { metrics: undefined, tracing: undefined, logs: undefined, resource: {} },
    providers: new Map([
      ...(parts.providers ?? []).map((binding) => [binding.slug, binding] as const),
      ...Object.entries(parts.virtualKeys ?? {}),
    ]),
    types,
    prompts: new Map(),
    configs: new Map((parts.configs ?? []).map((config) => [config.name, config])),
    apiKeys: new Map(Object.entries(parts.keys ?? {}).map(([text, key]) => [sha256(text), key])),
    jwt: undefined,
    secrets: [],
    inlineConfig: (text) => makeConfig('inline', makeLeaf({ root: 'inline', ...(JSON.parse(text) as Partial<Leaf>) })),
    direct: (provider, settings, key) =>
      makeBinding(provider.type, {
        provider,
        settings,
        owner: 'caller',
        trust: 'request',
        credential: () => (key === undefined ? { owner: 'none', headers: () => [] } : signed('caller', key)),
      }),
    prices: noPrices,
    noConfig: makeConfig('-', makeLeaf({ root: 'request' })),
    plan: createPlanner(),
    ...parts.overrides,
  };
}

export interface RequestParts {
  readonly snapshot?: Snapshot;
  readonly headers?: Headers;
  readonly body?: Readonly<Record<string, unknown>> | string | RequestBody;
  readonly caller?: Partial<Caller>;
  readonly overrides?: Partial<Routed>;
}

/** A request in the state before the stage under test; `plan` throws until it is set. */
export function makeContext(parts: RequestParts = {}): Routed {
  const body = bodyOf(parts.body);
  const model = body.kind === 'json' ? body.peek('model') : undefined;
  return {
    id: 'req_01TEST',
    endpoint: 'chat/completions',
    hold: new MemoryReservation(new MemoryBudget(Number.POSITIVE_INFINITY)),
    method: 'POST',
    path: '/v1/chat/completions',
    pathModel: undefined,
    params: {},
    query: '',
    headers: makeHeaders(parts.headers ?? {}),
    body,
    requestedModel: typeof model === 'string' ? model : '',
    stream: body.kind === 'json' && body.peek('stream') === true,
    snapshot: parts.snapshot ?? makeSnapshot(),
    arrivedAt: 0,
    traceId: '0'.repeat(32),
    random: 0.5,
    mode: 'live',
    at: noon,
    peer: undefined,
    metadata: {},
    warnings: [],
    facts: {
      caller: { name: 'anonymous', key: undefined, credential: undefined, consumed: [], ...parts.caller },
      virtualKey: undefined,
      choice: undefined,
      config: undefined,
      ext: {},
    },
    plan: { first: makeLeaf(), after: () => undefined },
    ...parts.overrides,
  };
}

function makeHeaders(headers: Headers): RequestHeaderBag {
  const rawHeaders = Object.entries(headers).flat();
  return new RequestHeaderBag({ headers: { ...headers }, rawHeaders }, headerNames(defaultPrefixes));
}

function bodyOf(body: RequestParts['body']): RequestBody {
  if (body === undefined) return emptyBody;
  if (typeof body === 'string') return JsonBody.from(Buffer.from(body));
  return 'kind' in body && typeof body['kind'] === 'string'
    ? (body as RequestBody)
    : JsonBody.of(body as Readonly<Record<string, unknown>>);
}

/** Returns the error that a stage throws; fails the test if there is none. */
export async function refusal(run: () => unknown): Promise<GatewayError> {
  try {
    await run();
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

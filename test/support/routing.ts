import type { Routed } from '../../src/core/context.ts';
import type { ProviderBinding } from '../../src/core/snapshot.ts';
import routing from '../../plugins/routing/index.ts';
import {
  makeBinding,
  makeBranch,
  makeConfig,
  makeContext,
  makeKey,
  makeLeaf,
  makeProvider,
  makeSnapshot,
  setUp,
  type RequestParts,
} from './stage-context.ts';

/** A catalog and configs for the routing stage, and a function that routes one request. */

const openaiType = makeProvider();
const azureType = makeProvider({
  type: 'azure-openai',
  aliases: ['cloud-provider-b'],
  entry: {
    requestSettings: [
      { setting: 'resource_name', headers: ['cloud-resource-name', 'azure-resource-name'], keys: [], shapesHost: true },
      { setting: 'api_version', headers: ['cloud-api-version'], keys: [], shapesHost: false },
      {
        setting: 'auth_mode',
        headers: ['cloud-auth-mode', 'azure-auth-mode'],
        keys: [],
        shapesHost: false,
        ambient: ['managed', 'workload'],
      },
      { setting: 'secret', headers: ['azure-secret'], keys: [], shapesHost: false },
    ],
    settings: { type: 'object', properties: { secret: { type: 'string', writeOnly: true } } },
  },
});
const mockType = makeProvider({ type: 'mock', entry: { apiKey: 'none' } });

export const mainBinding = makeBinding('openai-main', { provider: openaiType });
const azure = makeBinding('azure-eu', { provider: azureType, allowsHost: ({ host }) => host === 'proxy.example' });
const narrowBinding = makeBinding('narrow', { provider: openaiType, allowsModel: (model) => model === 'small' });
const sameNameBinding = makeBinding('openai', { provider: openaiType });
export const teamBinding = makeBinding('azure-eu', { provider: azureType, virtualKey: 'batch-team' });

const leafTo = (provider: ProviderBinding | undefined, overrides = {}) => makeLeaf({ provider, ...overrides });
const configs = [
  makeConfig('support', makeBranch('fallback', [leafTo(mainBinding), leafTo(azure)])),
  makeConfig('draft', leafTo(azure)),
  makeConfig('open', leafTo(undefined, { override: { model: 'fixed' } })),
  makeConfig('half-open', makeBranch('fallback', [leafTo(undefined), leafTo(azure)])),
  makeConfig('spread', makeBranch('loadbalance', [leafTo(mainBinding), leafTo(azure)])),
  makeConfig(
    'by-model',
    makeBranch('conditional', [leafTo(mainBinding), leafTo(azure)], {
      match: (facts) => ({ index: facts.params('model') === 'voice' ? 1 : 0, because: 'test' }),
    }),
  ),
  makeConfig(
    'small-first',
    makeBranch('fallback', [leafTo(mainBinding, { override: { model: 'big' } }), leafTo(azure, { override: { model: 'small' } })]),
  ),
];
export const snapshot = makeSnapshot({
  providers: [mainBinding, azure, narrowBinding, sameNameBinding],
  virtualKeys: { 'batch-team': teamBinding },
  types: [openaiType, azureType, mockType],
  configs,
});

export async function route(parts: RequestParts): Promise<{ ctx: Routed; target: string | undefined; slug: string | undefined }> {
  const plugin = await setUp(routing);
  const ctx = makeContext({ snapshot, ...parts });
  const planned = await plugin.plan?.(ctx, undefined);
  const plan = planned !== undefined && 'first' in planned ? planned : undefined;
  const binding = plan?.first.provider ?? ctx.facts.choice?.binding;
  return { ctx, target: plan?.first.path, slug: plan === undefined ? undefined : binding?.slug };
}

export const withKey = (overrides: Parameters<typeof makeKey>[1]) => ({ name: 'app-web', key: makeKey('app-web', overrides) });
export const chatBody = (model: string) => ({ model, messages: [] });

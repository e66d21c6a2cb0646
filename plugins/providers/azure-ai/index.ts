import { GatewayError } from '#core/error.ts';
import { defineProvider, type Deployment, type Operation } from '#core/provider.ts';
import { relayedRoute } from '../_shared/address.ts';
import { azureAuthModes } from '../_azure/auth-modes.ts';
import { azureFault } from '../_azure/fault.ts';
import { azureProbes } from '../_azure/probes.ts';
import { check } from './check.ts';
import { credential } from './credential.ts';
import { importUri } from './import-uri.ts';
import { imageEmbeddings, models, openChat, openHeaders, openRoutes } from './open-routes.ts';
import { choose, type Place } from './places.ts';
import { type FoundryCall, placeOf, places, relayed } from './routes.ts';
import { type FoundrySettings, requestSettings, schema } from './settings.ts';
import { countTokens, nativeMessages, anthropicChat, anthropicHeaders } from './anthropic.ts';

const open = openChat();

const isMessages = (call: FoundryCall): boolean => placeOf(call).format === 'messages';

/** Chat in whatever the deployment speaks. */
const chat: Operation<FoundrySettings> = {
  request: (body, call) => (isMessages(call) ? anthropicChat : open).request(body, call),
  media: (body, call) => (isMessages(call) ? (anthropicChat.media?.(body, call) ?? []) : []),
  recalls: (body, call) => (isMessages(call) ? anthropicChat.recalls?.(body, call) : undefined),
  notes: (answer, call) => (isMessages(call) ? (anthropicChat.notes?.(answer, call) ?? []) : []),
  converts: isMessages,
  tap: (call) => (isMessages(call) ? anthropicChat : open).tap(call),
  result: (text, call, answer) => anthropicChat.result?.(text, call, answer),
  stream(call) {
    if (anthropicChat.stream === undefined) throw new GatewayError('internal', { message: 'This format is not converted.' });
    return anthropicChat.stream(call);
  },
};

/** Azure OpenAI's foundry: models of all vendors behind one resource, in up to three formats. */
export default defineProvider<FoundrySettings>({
  type: 'azure-ai',
  aliases: ['cloud-ai', 'azure-ai-inference'],
  settings: schema,
  requestSettings,
  accountHeaders: ['azureml-model-deployment', 'x-ms-model-mesh-model-name'],
  apiKey: 'required',
  authModes: azureAuthModes,
  check,
  deployment: (settings, model) => choose(places(settings), settings, model),
  models: (settings) =>
    [...places(settings).aliases].map(([id, { foundationModel }]) => (foundationModel === undefined ? { id } : { id, foundationModel })),
  credential,
  operations: {
    ...openRoutes,
    'chat/completions': chat,
    'images/embeddings': imageEmbeddings,
    models,
    messages: nativeMessages,
    'messages/count_tokens': countTokens,
  },
  relay: (call, path) => ({
    ...relayed(call, relayedRoute(path)),
    headers: isMessages(call) ? anthropicHeaders(call, undefined) : openHeaders(call),
  }),
  fault: azureFault,
  importUri,
  probe: (settings, deep) => azureProbes(places(settings).aliases, originOf, deep),
});

const originOf = ({ settings }: Deployment): string => {
  const { origin, prefix } = (settings as Place).uri;
  return origin + prefix;
};

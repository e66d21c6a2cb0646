import { GatewayError } from '#core/error.ts';
import { defineProvider, type OldOperation } from '#core/provider.ts';
import { relayedRoute } from '../_shared/address.ts';
import { check } from './check.ts';
import { credential, entries } from './entries.ts';
import { importUri } from './import-uri.ts';
import { imageEmbeddings, models, openChat, openHeaders, openRoutes } from './open-routes.ts';
import { type FoundryCall, relayed, targetOf } from './routes.ts';
import { type FoundrySettings, requestSettings, schema } from './settings.ts';
import { countTokens, nativeMessages, anthropicChat, anthropicHeaders } from './anthropic.ts';

const open = openChat();

const isMessages = (call: FoundryCall): boolean => targetOf(call).api === 'messages';

/** Chat in whatever the deployment speaks. */
const chat: OldOperation<FoundrySettings> = {
  request: (body, call) => (isMessages(call) ? anthropicChat : open).request(body, call),
  media: (body, call) => (isMessages(call) ? anthropicChat : open).media?.(body, call) ?? [],
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
  ...entries.provider,
  check,
  credential,
  operations: {
    ...openRoutes,
    'chat/completions': chat,
    'images/embeddings': imageEmbeddings,
    models,
    messages: { ...nativeMessages, serves: isMessages },
    'messages/count_tokens': { ...countTokens, serves: isMessages },
  },
  relay: (call, path) => ({
    ...relayed(call, relayedRoute(path)),
    headers: isMessages(call) ? anthropicHeaders(call, undefined) : openHeaders(call),
  }),
  importUri,
});

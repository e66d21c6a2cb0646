import { RealtimeTap } from '#formats/openai-objects/realtime-tap.ts';
import { defineProvider, type Operation } from '#core/provider.ts';
import { azureFault } from '../_azure/fault.ts';
import { relayedRoute } from '../_shared/address.ts';
import { anthropic, anthropicHeaders } from './anthropic.ts';
import { check } from './check.ts';
import { credential, entries } from './entries.ts';
import { importUri } from './import-uri.ts';
import { imageEmbeddings, models, openaiChatOperation, openaiHeaders, openaiRoutes } from './openai-routes.ts';
import { type FoundryCall, relayedAddress, targetOf } from './routes.ts';
import { type FoundrySettings, requestSettings, schema } from './settings.ts';

const { 'chat/completions': anthropicChat, ...nativeRoutes } = anthropic;

const isMessages = (call: FoundryCall): boolean => targetOf(call).api === 'messages';

/** Chat in the format of the deployment. */
const chat: Operation<FoundrySettings> = {
  isConverted: true,
  media: (body, call) => (isMessages(call) ? anthropicChat : openaiChatOperation).media?.(body, call) ?? [],
  begin: (body, call) => (isMessages(call) ? anthropicChat : openaiChatOperation).begin(body, call),
};

/** Azure AI Foundry: models of all vendors in one resource, in up to three formats. */
export default defineProvider<FoundrySettings>({
  type: 'azure-ai',
  aliases: ['cloud-ai', 'azure-ai-inference'],
  entry: {
    prices: { list: 'azure', soundApart: true },
    telemetryName: 'azure.ai.inference',
    settings: schema,
    requestSettings,
    accountHeaders: ['azureml-model-deployment', 'x-ms-model-mesh-model-name'],
    ...entries.provider,
    check,
    credential,
    importUri,
  },
  operations: {
    ...openaiRoutes,
    ...nativeRoutes,
    'chat/completions': chat,
    'images/embeddings': imageEmbeddings,
    models,
  },
  relay: (call, path) => ({
    ...relayedAddress(call, relayedRoute(path)),
    headers: isMessages(call) ? anthropicHeaders(call) : openaiHeaders(call),
  }),
  socketTap: () => new RealtimeTap(),
  fault: azureFault,
});

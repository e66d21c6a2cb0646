import { defineProvider, type Operation, type Probe } from '#core/provider.ts';
import { anthropicFault } from '#formats/anthropic-messages/fault.ts';
import { objectIn, openaiFault } from '#formats/openai-chat/fault.ts';
import type { VertexCall } from './address.ts';
import { anthropic } from './anthropic.ts';
import { batchOperations } from './batches/operations.ts';
import { check } from './check.ts';
import { credential } from './credential.ts';
import { fileOperations } from './files/operations.ts';
import { gemini, modelOf } from './gemini.ts';
import type { VertexModel } from './model.ts';
import { openChat } from './open-chat.ts';
import { requestSettings, schema, type VertexSettings } from './settings.ts';
import { tuningOperations } from './tuning/operations.ts';

const { 'chat/completions': anthropicChat, ...messagesRoutes } = anthropic;
const { 'chat/completions': geminiChat, ...googleRoutes } = gemini;

/** The chat operation for each kind of model. */
const chats: { readonly [K in VertexModel['kind']]: Operation<VertexSettings> } = {
  gemini: geminiChat,
  tuned: geminiChat,
  anthropic: anthropicChat,
  mistral: openChat,
  open: openChat,
  endpoint: openChat,
};

const chatOf = (call: VertexCall): Operation<VertexSettings> => chats[modelOf(call).kind];

/** Selects the chat operation by the kind of model: some formats are converted, others are the client's own. */
const chat: Operation<VertexSettings> = {
  isConverted: true,
  count: geminiChat.count,
  ownForms: geminiChat.ownForms,
  sameMeaning: [...geminiChat.sameMeaning, ...(anthropicChat.sameMeaning ?? [])],
  media: (body, call) => chatOf(call).media?.(body, call) ?? [],
  begin: (body, call) => chatOf(call).begin(body, call),
};

/** Every project that may call models can count tokens with it. After its retirement the service returns 404. */
const model = 'gemini-2.5-flash';

/** Counting tokens is free and needs the same permission as a chat. */
const probe: Probe = {
  endpoint: 'responses/input_tokens',
  method: 'POST',
  model,
  body: { input: 'ping' },
  proves: 'credential',
  accepts: { 404: `credential accepted · this region does not have ${model}` },
  fixes: {
    401: 'check the service account or the identity of the machine: its token is not accepted',
    403: 'grant the role "Vertex AI User" in this project, and enable the Vertex AI API',
  },
};

/** Vertex AI: models of Gemini, Anthropic and other vendors, and self-deployed ones, in one project and region. */
export default defineProvider<VertexSettings>({
  type: 'vertex-ai',
  aliases: ['cloud-provider-a', 'provider-a'],
  entry: {
    prices: { list: 'google' },
    telemetryName: 'gcp.vertex_ai',
    settings: schema,
    requestSettings,
    accountHeaders: ['x-goog-user-project'],
    apiKey: 'required',
    keySetting: 'service_account',
    check,
    credential,
    probe: () => [probe],
  },
  operations: {
    'chat/completions': chat,
    ...googleRoutes,
    ...messagesRoutes,
    ...fileOperations,
    ...batchOperations,
    ...tuningOperations,
  },
  // Models of Anthropic report errors in their own format. The formats of the service itself and of all other models have a common parser.
  fault: (status, body) => (objectIn(body)?.['type'] === 'error' ? anthropicFault(status, body) : openaiFault(status, body)),
});

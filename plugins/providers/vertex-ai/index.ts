import { parseJson } from '#core/json/scan.ts';
import { GatewayError } from '#core/error.ts';
import { type Call, defineProvider, type OldOperation } from '#core/provider.ts';
import { addresses, requireCredential } from './address.ts';
import { anthropicChat } from './anthropic-chat.ts';
import { batchOperations } from './batches/operations.ts';
import { check } from './check.ts';
import { credential } from './credential.ts';
import { fileOperations } from './files/operations.ts';
import { storage } from './files/storage.ts';
import { vertexFault } from './fault.ts';
import { geminiChat } from './gemini-chat.ts';
import { countInputTokens, embeddings, images } from './google-routes.ts';
import { countMessageTokens, messages } from './messages.ts';
import { formOf, type ModelForm } from './model-form.ts';
import { openChat } from './open-chat.ts';
import { probes } from './probe.ts';
import { requestSettings, schema, type VertexSettings } from './settings.ts';
import { tuningOperations } from './tuning/operations.ts';

const to = addresses();
const store = storage();
const open = openChat(to);
const gemini = geminiChat(to);
const anthropic = anthropicChat(to, store);

/** Which translator speaks to which kind of model. */
const chats: { readonly [K in ModelForm['kind']]: OldOperation<VertexSettings> } = {
  gemini,
  tuned: gemini,
  anthropic,
  mistral: open,
  open,
  endpoint: open,
};

const chatOf = (call: Call<VertexSettings>): OldOperation<VertexSettings> =>
  chats[formOf(call.model, call.settings.endpoint_format === 'generateContent').kind];

/** Chat by the kind of the model: some formats are converted, others are the client's own. */
const chat: OldOperation<VertexSettings> = {
  request(body, call) {
    requireCredential(call, call.settings.custom_host);
    return chatOf(call).request(body, call);
  },
  media: (body, call) => chatOf(call).media?.(body, call) ?? [],
  converts: (call) => chatOf(call).converts?.(call) ?? true,
  tap: (call) => chatOf(call).tap(call),
  result: (text, call, answer) => (chatOf(call).result ?? unconverted)(text, call, answer),
  stream(call) {
    const { stream } = chatOf(call);
    if (stream === undefined) throw new GatewayError('internal', { message: 'This model is not converted.' });
    return stream(call);
  },
};

/** Never asked for, since `converts` says so. */
const unconverted = (text: string): unknown => parseJson(text);

/** Every other operation needs a credential as well. */
const signed = (operation: OldOperation<VertexSettings>): OldOperation<VertexSettings> => ({
  ...operation,
  request(body, call) {
    requireCredential(call, call.settings.custom_host);
    return operation.request(body, call);
  },
});

const signedAll = <Name extends string>(operations: { readonly [N in Name]: OldOperation<VertexSettings> }) =>
  Object.fromEntries(Object.entries<OldOperation<VertexSettings>>(operations).map(([name, operation]) => [name, signed(operation)])) as {
    readonly [N in Name]: OldOperation<VertexSettings>;
  };

/** Vertex AI: models of Gemini, Anthropic and other vendors, and self-deployed ones, behind one project and region. */
export default defineProvider<VertexSettings>({
  type: 'vertex-ai',
  aliases: ['cloud-provider-a', 'provider-a'],
  settings: schema,
  requestSettings,
  accountHeaders: ['x-goog-user-project'],
  apiKey: 'required',
  keySetting: 'service_account',
  check,
  credential,
  operations: {
    'chat/completions': chat,
    embeddings: signed(embeddings(to)),
    'images/generations': signed(images(to)),
    'responses/input_tokens': signed(countInputTokens(to)),
    messages: signed(messages(to, store)),
    'messages/count_tokens': signed(countMessageTokens(to, store)),
    // Object storage has a host of its own, and asks for a credential where its addresses are made.
    ...fileOperations(store),
    ...signedAll(batchOperations(to, store)),
    ...signedAll(tuningOperations(to)),
  },
  fault: vertexFault,
  probe: () => probes,
});

import { type CredentialSpec, defineProvider } from '#core/provider.ts';
import { customHostProblems } from '../_shared/address.ts';
import { anthropicOperations } from '../_shared/anthropic-compatible.ts';
import { fromModelList } from '#formats/anthropic-messages/models.ts';
import { JsonTap } from '#formats/shared/response/json-tap.ts';
import { batchOperations } from './batches/operations.ts';
import { fault } from './fault.ts';
import { fileOperations } from './files/operations.ts';
import { probe } from './probe.ts';
import { relay } from './relay.ts';
import { send } from './send.ts';
import { type AnthropicSettings, requestSettings, schema } from './settings.ts';

/** Chats are converted, the messages API is passed through. */
const api = anthropicOperations<AnthropicSettings>({
  send: (call, route, body, betas) => send(call, { route, body, betas }),
  options: ({ settings: { max_tokens: maxTokens } }) => (maxTokens === undefined ? {} : { maxTokens }),
});

/** Anthropic: the messages API is passed through, chat completions are converted. */
export default defineProvider<AnthropicSettings>({
  type: 'anthropic',
  aliases: ['vendor-a'],
  entry: {
    prices: { list: 'anthropic', tiers: { batch: '0.5' } },
    service: { title: 'Anthropic', host: 'https://api.anthropic.com/v1', keyVariable: 'ANTHROPIC_API_KEY' },
    settings: schema,
    requestSettings,
    apiKey: 'required',
    check: (settings) => customHostProblems(settings.custom_host),
    credential: (_settings, key) => credentialOf(key),
    probe,
  },
  operations: {
    ...api,
    models: {
      isConverted: true,
      begin: (body, call) => ({
        request: send(call, { route: 'models', body, query: call.query === '' ? allModels : call.query }),
        tap: new JsonTap(),
        result: fromModelList,
      }),
    },
    ...batchOperations,
    ...fileOperations,
  },
  relay,
  fault,
});

/** The maximum page size. OpenAI's libraries would not request the second page of a shorter one. */
const allModels = 'limit=1000';

/** Access tokens of a subscription are sent as bearer tokens; keys have their own header. */
function credentialOf(key: string | undefined): CredentialSpec {
  if (key === undefined) return { scheme: 'none' };
  return key.startsWith('sk-ant-oat') ? { scheme: 'bearer', secret: key } : { scheme: 'header', name: 'x-api-key', secret: key };
}

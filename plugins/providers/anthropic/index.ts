import { type BodyPatch, type EmptyBody, JsonBody } from '#core/json/body.ts';
import { type CredentialSpec, defineProvider, type Dropped, type Operation, Passing, type UpstreamRequest } from '#core/provider.ts';
import { at, customHostProblems, relayedRoute } from '../_shared/address.ts';
import { mediaNeeds, toMessages } from '#formats/anthropic-messages/request/index.ts';
import { MessagesChat } from '#formats/anthropic-messages/answer/chat.ts';
import { headerFields } from '#formats/anthropic-messages/headers.ts';
import { withoutMarks } from '#formats/anthropic-messages/marks.ts';
import { fromModelList } from '#formats/anthropic-messages/models.ts';
import { MessagesTap } from '#formats/anthropic-messages/answer/tap.ts';
import { withRemembered } from '#formats/anthropic-messages/answer/thoughts.ts';
import { JsonTap } from '#formats/shared/json-tap.ts';
import { batchOperations } from './batches/operations.ts';
import { fault } from './fault.ts';
import { fileOperations } from './files/operations.ts';
import { probe } from './probe.ts';
import { type ACall, base, send, versionHeaders } from './send.ts';
import { type AnthropicSettings, requestSettings, schema } from './settings.ts';

type Body = JsonBody | EmptyBody;

/** Chat completions, converted both ways. */
const chat: Operation<AnthropicSettings> = {
  isConverted: true,
  media: (body) => (body.kind === 'json' && body.mentions('://') ? mediaNeeds(body.json(), 'direct') : []),
  begin(body, call) {
    if (body.kind === 'none') return new MessagesChat(send(call, { route: 'messages' }), call);
    const { max_tokens: maxTokens } = call.settings;
    const options = maxTokens === undefined ? { media: call.media } : { media: call.media, maxTokens };
    const converted = toMessages(withRemembered(body, call), call, options);
    const request = send(call, { route: 'messages', body, betas: converted.betas });
    return new MessagesChat({ ...request, body: JsonBody.of(converted.body), dropped: converted.dropped }, call);
  },
};

/** Anthropic: its own messages API as it is, and chat completions converted. */
export default defineProvider<AnthropicSettings>({
  type: 'anthropic',
  aliases: ['vendor-a'],
  service: { title: 'Anthropic', host: 'https://api.anthropic.com/v1', keyVariable: 'ANTHROPIC_API_KEY' },
  settings: schema,
  requestSettings,
  apiKey: 'required',
  check: (settings) => customHostProblems(settings.custom_host),
  credential: (_settings, key) => credentialOf(key),
  operations: {
    'chat/completions': chat,
    messages: { begin: (body, call) => new Passing(native(body, call, 'messages'), new MessagesTap()) },
    'messages/count_tokens': { begin: (body, call) => new Passing(native(body, call, 'messages/count_tokens'), new JsonTap()) },
    models: {
      isConverted: true,
      begin: (body, call) => ({ request: send(call, { route: 'models', body }), tap: new JsonTap(), result: fromModelList }),
    },
    ...batchOperations,
    ...fileOperations,
  },
  relay: (call, path) => ({ ...at(base(call.settings), relayedRoute(path), call.query), headers: versionHeaders(call, undefined) }),
  fault,
  probe,
});

/** Access tokens of a subscription are sent as bearer; keys have a header of their own. */
function credentialOf(key: string | undefined): CredentialSpec {
  if (key === undefined) return { scheme: 'none' };
  return key.startsWith('sk-ant-oat') ? { scheme: 'bearer', secret: key } : { scheme: 'header', name: 'x-api-key', secret: key };
}

/** The client's own messages request: only the model is written anew, and fields that stand for headers are taken out. */
function native(body: Body, call: ACall, route: string): UpstreamRequest {
  const request = send(call, { route, body });
  if (body.kind === 'none') return request;
  return {
    ...request,
    body: withoutMarks(body).edit(nativePatch(body, call)),
    dropped: body.has('labels') ? labelsDropped : request.dropped,
  };
}

/** A config's labels belong to the record; the API refuses fields that it doesn't know. */
const labelsDropped: readonly Dropped[] = Object.freeze([{ param: 'labels', reason: 'kept only in the log record' }]);

const unchanged: BodyPatch = new Map();

function nativePatch(body: JsonBody, call: ACall): BodyPatch {
  const patch = new Map<string, unknown>();
  if (call.model !== '' && body.peek('model') !== call.model) patch.set('model', call.model);
  for (const field of [...headerFields, 'labels']) if (body.has(field)) patch.set(field, undefined);
  return patch.size === 0 ? unchanged : patch;
}

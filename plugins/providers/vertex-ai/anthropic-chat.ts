import { JsonBody } from '#core/json/body.ts';
import type { HeaderPairs } from '#core/http/headers.ts';
import { isPlain } from '#core/json/merge.ts';
import type { Call, MediaNeed, OldOperation } from '#core/provider.ts';
import { mediaNeeds, toMessages } from '#formats/anthropic-messages/request/index.ts';
import { fromMessage } from '#formats/anthropic-messages/answer/result.ts';
import { MessagesStream } from '#formats/anthropic-messages/answer/stream.ts';
import { betasOf, headerFields } from '#formats/anthropic-messages/headers.ts';
import { MessagesTap } from '#formats/anthropic-messages/answer/tap.ts';
import { withRemembered } from '#formats/anthropic-messages/answer/thoughts.ts';
import { type Addresses, commonHeaders } from './address.ts';
import { allowedObject, type Storage, storageHeaders } from './files/storage.ts';
import { objectOf } from './gemini-chat.ts';
import { formOf } from './model-form.ts';
import type { VertexSettings } from './settings.ts';

/** The version that bodies for Vertex AI carry. */
export const bodyVersion = ({ anthropic_version: version }: VertexSettings): string => version ?? 'vertex-2023-10-16';

/** Name behind `anthropic.`. @throws GatewayError `model_not_found` */
export function anthropicName(call: Call<VertexSettings>): string {
  const form = formOf(call.model, false);
  return form.kind === 'anthropic' ? form.name : call.model;
}

/** Chat with models of Anthropic. */
export function anthropicChat(to: Addresses, store: Storage): OldOperation<VertexSettings> {
  return {
    media: (body, call) => placed(mediaNeeds(objectOf(body), 'vertex'), call, store),
    request(body, call) {
      const chat = objectOf(body);
      const version = bodyVersion(call.settings);
      const handled = ['labels', ...headerFields];
      const messages = toMessages(
        body.kind === 'json' ? withRemembered(body, call) : chat,
        { ...bare(call), stream: call.stream },
        { media: call.media, vertex: { version }, handled },
      );
      return {
        ...to.model(call, 'anthropic', anthropicName(call), call.stream ? 'streamRawPredict' : 'rawPredict'),
        method: call.method,
        headers: anthropicHeaders(body.kind === 'json' ? body : undefined, call, chat['labels'], messages.betas),
        body: JsonBody.of(messages.body),
        dropped: messages.dropped,
      };
    },
    tap: () => new MessagesTap(),
    result: (text, call, answer) => fromMessage(text, bare(call), answer),
    stream: (call) => new MessagesStream(call),
  };
}

/** Where each of the files is read. @throws GatewayError for those that may not be named */
export const placed = (needs: readonly MediaNeed[], call: Call<VertexSettings>, store: Storage): readonly MediaNeed[] =>
  needs.map((need) => (/^gs:/i.test(need.url) ? stored(need, call, store) : need));

/** The service reads no addresses: files of object storage are read here, with what the request is signed with. */
function stored(need: MediaNeed, call: Call<VertexSettings>, store: Storage): MediaNeed {
  const object = allowedObject(call, need.url, 'messages[].content[]');
  return { ...need, from: { ...store.object(call, object, '?alt=media'), headers: storageHeaders(call, '*/*') } };
}

/** Beta features and labels travel in headers; the API's version in the body. */
export function anthropicHeaders(
  body: JsonBody | undefined,
  call: Call<VertexSettings>,
  labels: unknown,
  needed: readonly string[] = [],
): HeaderPairs {
  const pairs = commonHeaders(call);
  const betas = betasOf(call, body, needed);
  if (betas.length > 0) pairs.push('anthropic-beta', betas.join(','));
  if (isPlain(labels) && Object.keys(labels).length > 0) {
    pairs.push('x-vertex-ai-labels', Buffer.from(JSON.stringify(labels), 'utf8').toString('base64'));
  }
  return pairs;
}

const bare = (
  call: Call<VertexSettings>,
): Pick<Call, 'model' | 'foundationModel' | 'strict' | 'showsReasoning' | 'id' | 'createdAt' | 'notes'> => {
  const { foundationModel, strict, showsReasoning, id, createdAt, notes } = call;
  return { model: anthropicName(call), foundationModel, strict, showsReasoning, id, createdAt, notes };
};

import { type BodyPatch, type EmptyBody, JsonBody } from '#core/json/body.ts';
import {
  type Call,
  type CommonSettings,
  type Dropped,
  type MediaNeed,
  type Operation,
  Passing,
  type UpstreamRequest,
} from '#core/provider.ts';
import { withToolNames } from '#formats/tool-names/index.ts';
import { anthropicNames } from '#formats/tool-names/rule.ts';
import { MessagesChat } from '#formats/anthropic-messages/answer/chat.ts';
import { MessagesTap } from '#formats/anthropic-messages/answer/tap.ts';
import { withRemembered } from '#formats/anthropic-messages/answer/thoughts.ts';
import { headerFields } from '#formats/anthropic-messages/headers.ts';
import { droppedWithMarks, withoutMarks } from '#formats/anthropic-messages/marks.ts';
import { mediaNeeds, samePlaces, toMessages } from '#formats/anthropic-messages/request/index.ts';
import { JsonTap } from '#formats/shared/answer/json-tap.ts';

type Body = JsonBody | EmptyBody;
type ACall<Settings> = Call<Settings & CommonSettings>;
type Needs<Settings> = (body: Body, call: ACall<Settings>) => readonly MediaNeed[];

export type AnthropicRoute = 'messages' | 'messages/count_tokens';

/** The differences between services that provide Anthropic's models. */
export interface AnthropicService<Settings> {
  /** Builds a request with the fields that every request of the API needs. `needed`: features that its body uses. */
  send(call: ACall<Settings>, route: AnthropicRoute, body: Body, needed?: readonly string[]): UpstreamRequest;
  /** Returns the options for converting chats, except their files. */
  options(call: ACall<Settings>): Omit<Parameters<typeof toMessages>[2], 'media'>;
  /** True if the call's model supports the messages API; undefined if all models do. */
  readonly serves?: (call: ACall<Settings>) => boolean;
  /** Returns the name of the model, if it is not the call's own. */
  modelOf?(call: ACall<Settings>): string;
  /**
   * Files that the service does not fetch itself, for chats and for native requests. Default: files without a URL that the service
   * can reach.
   */
  readonly media?: { readonly chat: Needs<Settings>; readonly native: Needs<Settings> };
  /** Edits to native requests. Default: sets the model and removes fields that represent headers. */
  native?(body: JsonBody, call: ACall<Settings>, route: AnthropicRoute): BodyPatch;
}

/** Chat completions, converted in both directions, and the messages API, passed through. */
export function anthropicOperations<Settings>(service: AnthropicService<Settings>) {
  const { media } = service;
  const chat: Operation<Settings> = {
    isConverted: true,
    sameMeaning: samePlaces,
    media: media?.chat ?? ((body) => (body.kind === 'json' && body.mentions('://') ? mediaNeeds(body.json(), 'direct') : [])),
    begin(body, call) {
      const named = service.modelOf === undefined ? call : answering(call, service.modelOf(call));
      const request = body.kind === 'none' ? service.send(call, 'messages', body) : chatRequest(service, body, call, named);
      return new MessagesChat(request, named);
    },
  };
  const shared = {
    ...(media === undefined ? {} : { media: media.native }),
    ...(service.serves === undefined ? {} : { serves: service.serves }),
  };
  const messages: Operation<Settings> = {
    ...shared,
    begin: (body, call) => new Passing(nativeRequest(service, 'messages', body, call), new MessagesTap()),
  };
  const countTokens: Operation<Settings> = {
    ...shared,
    begin: (body, call) => new Passing(nativeRequest(service, 'messages/count_tokens', body, call), new JsonTap()),
  };
  return { 'chat/completions': withToolNames(chat, () => anthropicNames), messages, 'messages/count_tokens': countTokens } as const;
}

type Named = Pick<Call, 'model' | 'stream' | 'foundationModel' | 'strict' | 'showsReasoning' | 'id' | 'createdAt' | 'notes'>;

/** Returns the call with another model name. */
function answering<Settings>(call: ACall<Settings>, model: string): Named {
  const { stream, foundationModel, strict, showsReasoning, id, createdAt, notes } = call;
  return { model, stream, foundationModel, strict, showsReasoning, id, createdAt, notes };
}

function chatRequest<Settings>(service: AnthropicService<Settings>, body: JsonBody, call: ACall<Settings>, named: Named): UpstreamRequest {
  const { media } = call;
  const made = toMessages(withRemembered(body, call), named, { ...service.options(call), media });
  return { ...service.send(call, 'messages', body, made.betas), body: JsonBody.of(made.body), dropped: made.dropped };
}

function nativeRequest<Settings>(
  service: AnthropicService<Settings>,
  route: AnthropicRoute,
  given: Body,
  call: ACall<Settings>,
): UpstreamRequest {
  const body = given.kind === 'json' ? withoutMarks(given) : given;
  const request = service.send(call, route, body);
  if (given.kind === 'none' || body.kind === 'none') return request;
  if (service.native === undefined) return { ...request, body: body.edit(nativePatch(body, call)), dropped: droppedNative(given, body) };
  const edited = body.edit(service.native(body, call, route));
  return { ...request, body: edited, dropped: [...request.dropped, ...droppedWithMarks(given, body)] };
}

/** Lists what a native request loses: `given` is the request of the client, `body` the same without marks. */
export function droppedNative(given: JsonBody, body: JsonBody): readonly Dropped[] {
  const lost = droppedWithMarks(given, body);
  return lost.length === 0 ? droppedLabels(given) : [...droppedLabels(given), ...lost];
}

/** The labels of a config are only for the record. The API rejects fields that it does not know. */
const droppedLabels = (body: JsonBody): readonly Dropped[] => (body.has('labels') ? labelsDropped : none);

const labelsDropped: readonly Dropped[] = Object.freeze([{ param: 'labels', reason: 'kept only in the log record' }]);
const none: readonly Dropped[] = Object.freeze([]);

const unchanged: BodyPatch = new Map();
const removed = [...headerFields, 'labels'] as const;

/** Empty if the body is correct already, so that its bytes stay unchanged. */
function nativePatch(body: JsonBody, { model }: Pick<Call, 'model'>): BodyPatch {
  const patch = new Map<string, unknown>();
  if (model !== '' && body.peek('model') !== model) patch.set('model', model);
  for (const field of removed) if (body.has(field)) patch.set(field, undefined);
  return patch.size === 0 ? unchanged : patch;
}

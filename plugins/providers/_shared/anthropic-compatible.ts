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
import { MessagesChat } from '#formats/anthropic-messages/response/chat.ts';
import { MessagesTap } from '#formats/anthropic-messages/response/tap.ts';
import { withStoredThinking } from '#formats/anthropic-messages/response/thoughts.ts';
import { headerFields } from '#formats/anthropic-messages/headers.ts';
import { droppedWithPlaceholders, withoutPlaceholders } from '#formats/anthropic-messages/placeholders.ts';
import { mediaNeeds, equivalentPaths, toMessages } from '#formats/anthropic-messages/request/index.ts';
import { JsonTap } from '#formats/shared/response/json-tap.ts';

type Body = JsonBody | EmptyBody;
type ServiceCall<Settings> = Call<Settings & CommonSettings>;
type MediaNeedsOf<Settings> = (body: Body, call: ServiceCall<Settings>) => readonly MediaNeed[];

export type AnthropicRoute = 'messages' | 'messages/count_tokens';

/** The differences between services that provide Anthropic's models. */
export interface AnthropicService<Settings> {
  /** Builds a request with the fields that every request of the API needs. `betas`: beta features that its body uses. */
  send(call: ServiceCall<Settings>, route: AnthropicRoute, body: Body, betas?: readonly string[]): UpstreamRequest;
  /** Returns the options for converting chats, except their files. */
  options(call: ServiceCall<Settings>): Omit<Parameters<typeof toMessages>[2], 'media'>;
  /** True if the call's model supports the messages API; undefined if all models do. */
  readonly serves?: (call: ServiceCall<Settings>) => boolean;
  /** Returns the name of the model, if it is not the call's own. */
  modelOf?(call: ServiceCall<Settings>): string;
  /**
   * Files that the service does not fetch itself, for chats and for native requests. Default: files without a URL that the service
   * can reach.
   */
  readonly media?: { readonly chat: MediaNeedsOf<Settings>; readonly native: MediaNeedsOf<Settings> };
  /** Edits to native requests. Default: sets the model and removes fields that represent headers. */
  editNative?(body: JsonBody, call: ServiceCall<Settings>, route: AnthropicRoute): BodyPatch;
}

/** Chat completions, converted in both directions, and the messages API, passed through. */
export function anthropicOperations<Settings>(service: AnthropicService<Settings>) {
  const { media } = service;
  const chat: Operation<Settings> = {
    isConverted: true,
    sameMeaning: equivalentPaths,
    media: media?.chat ?? ((body) => (body.kind === 'json' && body.mayContainUrl() ? mediaNeeds(body.json(), 'direct') : [])),
    begin(body, call) {
      const conversionCall = service.modelOf === undefined ? call : withModel(call, service.modelOf(call));
      const request = body.kind === 'none' ? service.send(call, 'messages', body) : chatRequest(service, body, call, conversionCall);
      return new MessagesChat(request, conversionCall);
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

type ConversionCall = Pick<
  Call,
  'model' | 'stream' | 'foundationModel' | 'strict' | 'showsReasoning' | 'id' | 'createdAt' | 'notes' | 'isTranslated'
>;

/** Returns the call with another model name. */
function withModel<Settings>(call: ServiceCall<Settings>, model: string): ConversionCall {
  const { stream, foundationModel, strict, showsReasoning, id, createdAt, notes, isTranslated = false } = call;
  return { model, stream, foundationModel, strict, showsReasoning, id, createdAt, notes, isTranslated };
}

function chatRequest<Settings>(
  service: AnthropicService<Settings>,
  body: JsonBody,
  call: ServiceCall<Settings>,
  conversionCall: ConversionCall,
): UpstreamRequest {
  const { media } = call;
  const converted = toMessages(withStoredThinking(body, call), conversionCall, { ...service.options(call), media });
  return { ...service.send(call, 'messages', body, converted.betas), body: JsonBody.of(converted.body), dropped: converted.dropped };
}

function nativeRequest<Settings>(
  service: AnthropicService<Settings>,
  route: AnthropicRoute,
  clientBody: Body,
  call: ServiceCall<Settings>,
): UpstreamRequest {
  const body = clientBody.kind === 'json' ? withoutPlaceholders(clientBody) : clientBody;
  const request = service.send(call, route, body);
  if (clientBody.kind === 'none' || body.kind === 'none') return request;
  if (service.editNative === undefined)
    return { ...request, body: body.edit(nativePatch(body, call)), dropped: droppedNative(clientBody, body) };
  const edited = body.edit(service.editNative(body, call, route));
  return { ...request, body: edited, dropped: [...request.dropped, ...droppedWithPlaceholders(clientBody, body)] };
}

/** Lists what a native request loses: `clientBody` is the request of the client, `body` the same without marks. */
export function droppedNative(clientBody: JsonBody, body: JsonBody): readonly Dropped[] {
  const droppedMarks = droppedWithPlaceholders(clientBody, body);
  return droppedMarks.length === 0 ? droppedLabels(clientBody) : [...droppedLabels(clientBody), ...droppedMarks];
}

/** The labels of a config are only for the record. The API rejects fields that it does not know. */
const droppedLabels = (body: JsonBody): readonly Dropped[] => (body.has('labels') ? labelsDropped : noDrops);

const labelsDropped: readonly Dropped[] = Object.freeze([{ param: 'labels', reason: 'kept only in the log record' }]);
const noDrops: readonly Dropped[] = Object.freeze([]);

const emptyPatch: BodyPatch = new Map();
const removedFields = [...headerFields, 'labels'] as const;

/** Empty if the body is correct already, so that its bytes stay unchanged. */
function nativePatch(body: JsonBody, { model }: Pick<Call, 'model'>): BodyPatch {
  const patch = new Map<string, unknown>();
  if (model !== '' && body.peek('model') !== model) patch.set('model', model);
  for (const field of removedFields) if (body.has(field)) patch.set(field, undefined);
  return patch.size === 0 ? emptyPatch : patch;
}

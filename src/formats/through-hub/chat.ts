import { GatewayError } from '../../core/error.ts';
import { type EmptyBody, JsonBody } from '../../core/json/body.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import type { Call, CommonSettings, Dropped, Operation, StepReply, Translation } from '../../core/provider.ts';
import { ChatReader } from '../openai-chat/reader/chunks.ts';
import { parseExact } from '../../core/json/scan.ts';
import { resultOf } from '../shared/response/result.ts';
import { HubCall } from './call.ts';
import { objectOf } from '../shared/json.ts';
import { withParams } from '../shared/request/parameter-errors.ts';

type AnyCall = Call<CommonSettings>;
type AnyBody = JsonBody | EmptyBody;

/** A request in the common format. */
export interface HubRequest {
  readonly body: JsonObject;
  /** Parameters that the common format cannot express, in the names of the client's format. */
  readonly dropped: readonly Dropped[];
  /** Members of the request that its response repeats, for formats that do so. */
  readonly echo?: JsonObject;
}

/** The request half of a client's format. */
export interface ClientRequests {
  /** Converts its request to a chat completions body with the gateway's extensions. @throws GatewayError if it cannot be converted */
  toHub(body: JsonObject): HubRequest;
  /** Renames dropped parameters to the names of the client's format. */
  ownNames(dropped: readonly Dropped[], stream: boolean): readonly Dropped[];
  /** The response of the format's route that counts tokens. */
  counted(tokens: number): JsonObject;
}

/** Serves a route of a client's format with a provider's chat completions. */
export function viaChat(chat: Operation, format: ClientRequests): Operation {
  return {
    isConverted: true,
    media(body, call) {
      // Most requests contain no address, so this avoids the conversion.
      if (chat.media === undefined || body.kind === 'none' || !body.mayContainUrl()) return none;
      return chat.media(JsonBody.of(hubOf(body, format).body), new HubCall(call, 'chat/completions'));
    },
    begin(body, call) {
      const hub = hubOf(body, format);
      const inner = new HubCall(call, 'chat/completions');
      const begun = withParams(
        (param) => ownName(param, format),
        () => chat.begin(JsonBody.of(hub.body), inner),
      );
      return translated(begun, hub, format, call);
    },
  };
}

const none: readonly never[] = Object.freeze([]);

/** Without the number of a message, because the client's request counts its messages or items in another way. */
export const ownName = (param: string, { ownNames }: ClientRequests): string =>
  ownNames([{ param: param.replace(/^messages\[\d+\]/, 'messages[]'), reason: '' }], false)[0]?.param ?? param;

/** @throws GatewayError `invalid_type` and others */
export function hubOf(body: AnyBody, format: ClientRequests): ReturnType<ClientRequests['toHub']> {
  // Keeps all digits of numbers in tool inputs.
  const value = body.kind === 'json' ? parseExact(body.bytes().toString('utf8')) : {};
  return format.toHub(objectOf(value));
}

/** Wraps a translation for chat completions with what the client's format needs. */
function translated(chat: Translation, { dropped, echo }: Omit<HubRequest, 'body'>, format: ClientRequests, call: AnyCall): Translation {
  const { request, tap, then, recover, local } = chat;
  const lost = format.ownNames([...dropped, ...request.dropped], call.stream);
  return {
    request: { ...request, dropped: lost },
    tap,
    ...(echo === undefined ? {} : { echo }),
    reader: () => chat.reader?.() ?? new ChatReader(),
    result: (text, answer) => completionIn(resultOf(chat, text, answer)),
    ...(then === undefined
      ? {}
      : {
          then: (reply: StepReply) =>
            translatedNext(chat.then?.(reply), { dropped: lost, ...(echo === undefined ? {} : { echo }) }, format, call),
        }),
    ...(recover === undefined ? {} : { recover: (failure: StepReply) => chat.recover?.(failure) }),
    ...(local === undefined ? {} : { local: (sent) => local.call(chat, sent) }),
  };
}

const translatedNext = (
  chat: Translation | undefined,
  hub: Omit<HubRequest, 'body'>,
  format: ClientRequests,
  call: AnyCall,
): Translation | undefined => (chat === undefined ? undefined : translated(chat, hub, format, call));

/** @throws GatewayError `upstream_invalid` */
function completionIn(answer: unknown): unknown {
  if (isJsonObject(answer) && Array.isArray(answer['choices']) && answer['choices'].length > 0) return answer;
  throw new GatewayError('upstream_invalid', {
    message: "The provider's response is not a chat completion: it has no choices.",
    source: 'provider',
  });
}

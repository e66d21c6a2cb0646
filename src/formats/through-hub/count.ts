import type { Endpoint } from '../../core/endpoint.ts';
import { GatewayError } from '../../core/error.ts';
import { emptyBody, JsonBody } from '../../core/json/body.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import type { Dropped, Operation, Translation } from '../../core/provider.ts';
import { responsesOf } from '../openai-responses/from-chat.ts';
import { JsonTap } from '../shared/response/json-tap.ts';
import { parseObject } from '../shared/json.ts';
import { withParams } from '../shared/request/parameter-errors.ts';
import { objectWithServiceNames } from '../tool-names/request.ts';
import { openaiNames, toolNames } from '../tool-names/rule.ts';
import { HubCall } from './call.ts';
import { type ClientRequests, hubOf, ownName } from './chat.ts';
import { estimatedTokens } from './estimate.ts';

/** Counts tokens with a provider that counts those of a chat completions body. */
export const viaChatCount = (count: Operation, format: ClientRequests): Operation =>
  viaCount(count, format, { endpoint: 'chat/completions', convert: (chat) => ({ body: chat, dropped: none }) });

/** Counts tokens with a provider that counts the input of the responses API. */
export const viaInputTokens = (count: Operation, format: ClientRequests): Operation =>
  viaCount(count, format, {
    endpoint: 'responses/input_tokens',
    convert(chat) {
      const names = toolNames(chat, openaiNames);
      return responsesOf(names === undefined ? chat : objectWithServiceNames(chat, names));
    },
  });

/** What a count accepts, and how a chat completions body is converted to it. */
interface CountInput {
  readonly endpoint: Endpoint;
  convert(chat: JsonObject): { readonly body: JsonObject; readonly dropped: readonly Dropped[] };
}

/** All formats return the count as `input_tokens`. */
function viaCount(count: Operation, format: ClientRequests, { endpoint, convert }: CountInput): Operation {
  const { serves } = count;
  return {
    isConverted: true,
    ...(serves === undefined ? {} : { serves: (call) => serves(new HubCall(call, endpoint)) }),
    media(body, call) {
      // Most requests contain no address, so this avoids the conversion.
      if (count.media === undefined || body.kind === 'none' || !body.mayContainUrl()) return none;
      return count.media(JsonBody.of(convert(hubOf(body, format).body).body), new HubCall(call, endpoint));
    },
    begin(body, call) {
      const hub = hubOf(body, format);
      const converted = convert(hub.body);
      const inner = withParams(
        (param) => ownName(param, format),
        () => count.begin(JsonBody.of(converted.body), new HubCall(call, endpoint)),
      );
      const { request, tap } = inner;
      return {
        request: { ...request, dropped: format.ownNames([...hub.dropped, ...converted.dropped, ...request.dropped], false) },
        tap,
        result: (text, answer) => {
          const counted = inner.result === undefined ? parseObject(text) : inner.result(text, answer);
          const tokens = isJsonObject(counted) ? counted['input_tokens'] : undefined;
          if (typeof tokens === 'number') return format.counted(tokens);
          const message = "The provider's response contains no token count.";
          throw new GatewayError('upstream_invalid', { message, source: 'provider' });
        },
      };
    },
  };
}

const none: readonly never[] = Object.freeze([]);

const warning = 'input_tokens is an estimate: this provider counts no tokens';

/** For providers that cannot count tokens: returns an estimate, with a warning that it is one. */
export const estimatedCount = (format: ClientRequests): Operation => ({
  isConverted: true,
  begin(body): Translation {
    const tokens = estimatedTokens(hubOf(body, format).body);
    return {
      request: {
        origin: 'http://localhost',
        path: '/estimate',
        method: 'POST',
        headers: [],
        body: emptyBody,
        dropped: [],
        warnings: [warning],
      },
      tap: new JsonTap(),
      local: () => ({
        status: 200,
        headers: { 'content-type': 'application/json' },
        pieces: [{ text: JSON.stringify(format.counted(tokens)) }],
      }),
    };
  },
});

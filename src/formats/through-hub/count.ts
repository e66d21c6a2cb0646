import { GatewayError } from '../../core/error.ts';
import { emptyBody, JsonBody } from '../../core/json/body.ts';
import { isJsonObject } from '../../core/json/merge.ts';
import type { Operation, Translation } from '../../core/provider.ts';
import { responsesOf } from '../openai-responses/from-chat.ts';
import { JsonTap } from '../shared/response/json-tap.ts';
import { parseObject } from '../shared/json.ts';
import { objectWithServiceNames } from '../tool-names/request.ts';
import { openaiNames, toolNames } from '../tool-names/rule.ts';
import { HubCall } from './call.ts';
import { type ClientRequests, hubOf } from './chat.ts';
import { estimatedTokens } from './estimate.ts';

/** Counts tokens with a provider that counts the input of the responses API. Both formats return the count as `input_tokens`. */
export function viaInputTokens(count: Operation, format: ClientRequests): Operation {
  const { serves } = count;
  return {
    isConverted: true,
    ...(serves === undefined ? {} : { serves: (call) => serves(new HubCall(call, 'responses/input_tokens')) }),
    media(body, call) {
      // Most requests contain no address, so this avoids the conversion.
      if (count.media === undefined || body.kind === 'none' || !body.mayContainUrl()) return none;
      return count.media(JsonBody.of(responsesOf(hubOf(body, format).body).body), new HubCall(call, 'responses/input_tokens'));
    },
    begin(body, call) {
      const hub = hubOf(body, format);
      const names = toolNames(hub.body, openaiNames);
      const converted = responsesOf(names === undefined ? hub.body : objectWithServiceNames(hub.body, names));
      const inner = count.begin(JsonBody.of(converted.body), new HubCall(call, 'responses/input_tokens'));
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

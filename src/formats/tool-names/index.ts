import type { ModelEvent, WireEvent } from '../../core/events.ts';
import type { GatewayError } from '../../core/error.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import type { Call, CommonSettings, Operation, Translation } from '../../core/provider.ts';
import type { StreamTransform } from '../../core/stream.ts';
import { ChatReader } from '../openai-chat/reader/chunks.ts';
import { resultOf } from '../shared/response/result.ts';
import { blocksWith, callWith, withServiceNames } from './request.ts';
import { type NameRule, type ToolNames, toolNames } from './rule.ts';

type ACall<Settings> = Call<Settings & CommonSettings>;

/**
 * Wraps a chat operation so that tool names that its service rejects are replaced. Clients of other formats use longer names and
 * other characters. Responses have the client's names, and later turns are renamed the same way. Requests without such a name are
 * passed unchanged.
 *
 * @param ruleFor undefined if names are sent as they are
 */
export function withToolNames<Settings>(
  chat: Operation<Settings>,
  ruleFor: (call: ACall<Settings>) => NameRule | undefined,
): Operation<Settings> {
  return {
    ...chat,
    begin(body, call) {
      const rule = body.kind === 'json' ? ruleFor(call) : undefined;
      const names = rule === undefined || body.kind !== 'json' ? undefined : toolNames(body.json(), rule);
      if (names === undefined || body.kind !== 'json') return chat.begin(body, call);
      return withRestoredNames(chat.begin(withServiceNames(body, names), call), names);
    },
  };
}

/** Wraps a translation whose request has replaced names, so that its response has the client's names again. */
function withRestoredNames(inner: Translation, { toService, toClient }: ToolNames): Translation {
  const { request, tap, local } = inner;
  const warning = `${toService.size === 1 ? 'One tool has a name' : `${toService.size} tools have names`} that the provider does not accept: another is sent, and restored in responses.`;
  return {
    request: { ...request, warnings: [...(request.warnings ?? []), warning] },
    tap,
    reader: () => new NamedReader(inner.reader?.() ?? new ChatReader(), toClient),
    result: (text, answer) => withClientNames(resultOf(inner, text, answer), toClient),
    ...(local === undefined ? {} : { local: (sent) => local.call(inner, sent) }),
  };
}

/** Restores the client's names in the tool calls of a chat completion. */
function withClientNames(completion: unknown, names: ToolNames['toClient']): unknown {
  if (!isJsonObject(completion) || !Array.isArray(completion['choices'])) return completion;
  const choices = (completion['choices'] as unknown[]).map((choice) =>
    isJsonObject(choice) && isJsonObject(choice['message']) ? { ...choice, message: messageWith(choice['message'], names) } : choice,
  );
  return { ...completion, choices };
}

function messageWith(message: JsonObject, names: ToolNames['toClient']): JsonObject {
  const { tool_calls: calls } = message;
  const named = Array.isArray(calls) ? (calls as unknown[]).map((call) => (isJsonObject(call) ? callWith(call, names) : call)) : undefined;
  return { ...message, ...(named === undefined ? {} : { tool_calls: named }), ...blocksWith(message, names) };
}

class NamedReader implements StreamTransform<WireEvent, ModelEvent> {
  readonly #inner: StreamTransform<WireEvent, ModelEvent>;
  readonly #names: ToolNames['toClient'];

  constructor(inner: StreamTransform<WireEvent, ModelEvent>, names: ToolNames['toClient']) {
    this.#inner = inner;
    this.#names = names;
  }

  push(event: WireEvent): readonly ModelEvent[] {
    return this.#named(this.#inner.push(event));
  }

  end(): readonly ModelEvent[] {
    return this.#named(this.#inner.end());
  }

  fail(error: GatewayError): readonly ModelEvent[] {
    return this.#named(this.#inner.fail(error));
  }

  #named(events: Iterable<ModelEvent>): readonly ModelEvent[] {
    return Array.from(events, (event) => {
      const name = event.type === 'tool_call' && event.name !== undefined ? this.#names.get(event.name) : undefined;
      return name === undefined ? event : { ...event, name };
    });
  }
}

import { GatewayError } from '../../src/core/error.ts';
import type { ModelEvent, WireEvent } from '../../src/core/events.ts';
import { type Call, defineProvider, type Provider } from '../../src/core/provider.ts';
import type { StreamTransform } from '../../src/core/stream.ts';
import type { EventKind, Tap } from '../../src/core/tap.ts';

/**
 * A provider with a format of its own, small enough to see through. Whole: `{"said":"…"}`. Streamed: `{"name":"…"}`,
 * `{"think":"…"}`, `{"say":"…"}`, `{"call":[n,"f","…"]}`, `{"over":"DONE"}`, `{"tokens":[in,out]}`, `{"oops":"…"}`; no end
 * mark. Pictures must be inlined: `fetch` in the request names them.
 */
type ParrotEvent = { readonly [K in 'name' | 'think' | 'say' | 'over' | 'oops']?: string } & {
  readonly tokens?: readonly [number, number];
  readonly call?: readonly [index: number, name: string | undefined, args: string];
};

function toolCall([index, name, args]: NonNullable<ParrotEvent['call']>): ModelEvent {
  return { type: 'tool_call', choice: 0, index, ...(name === undefined ? {} : { id: `call_${index}`, name }), arguments: args };
}

class ParrotStream implements StreamTransform<WireEvent, ModelEvent> {
  *push(event: WireEvent): Iterable<ModelEvent> {
    const parsed = JSON.parse(event.data) as ParrotEvent;
    if (parsed.name !== undefined) yield { type: 'start', id: parsed.name, model: 'parrot-1', created: 5 };
    if (parsed.think !== undefined) yield { type: 'thinking', choice: 0, text: parsed.think };
    if (parsed.say !== undefined) yield { type: 'text', choice: 0, text: parsed.say };
    if (parsed.call !== undefined) yield toolCall(parsed.call);
    if (parsed.tokens !== undefined) yield { type: 'usage', usage: { prompt: parsed.tokens[0], completion: parsed.tokens[1] } };
    if (parsed.over !== undefined) yield { type: 'finish', choice: 0, reason: 'stop', raw: parsed.over };
  }

  end(): Iterable<ModelEvent> {
    return [];
  }

  fail(error: GatewayError): Iterable<ModelEvent> {
    return [{ type: 'error', error }];
  }
}

class ParrotTap implements Tap {
  complete = false;
  usage = undefined;
  finish: string[] = [];
  model = 'parrot-1';
  id = undefined;
  fault: { message: string } | undefined;
  contentEvents = 0;

  event({ data }: WireEvent): EventKind {
    if (!data.startsWith('{')) return 'content';
    const event = JSON.parse(data) as ParrotEvent;
    if (event.over !== undefined) this.complete = true;
    if (event.oops === undefined)
      return event.say === undefined && event.think === undefined && event.call === undefined ? 'meta' : 'content';
    this.fault = { message: event.oops };
    return 'fault';
  }

  whole(): undefined {
    this.complete = true;
  }
}

interface Settings {
  readonly custom_host?: string;
}

function result(text: string, call: Call): unknown {
  const { said, refuse } = JSON.parse(text) as { said?: string; refuse?: string };
  if (refuse !== undefined) throw new GatewayError('upstream_invalid', { message: `The parrot says: ${refuse}`, source: 'provider' });
  if (said === undefined) throw new TypeError('said is undefined');
  return {
    id: `chatcmpl-${call.id}`,
    object: 'chat.completion',
    created: call.createdAt,
    model: call.model,
    choices: [{ index: 0, message: { role: 'assistant', content: said }, finish_reason: 'stop' }],
  };
}

const parrot: Provider = defineProvider<Settings>({
  type: 'parrot',
  aliases: [],
  entry: {
    settings: { type: 'object', properties: {}, additionalProperties: false },
    requestSettings: [],
    apiKey: 'required',
    credential: (_settings, key) => (key === undefined ? { scheme: 'none' } : { scheme: 'bearer', secret: key }),
  },
  operations: {
    'chat/completions': {
      media: (body) => {
        const urls = body.kind === 'json' ? body.value('fetch') : undefined;
        return Array.isArray(urls) ? urls.map((url) => ({ url: String(url), maxBytes: 1000 })) : [];
      },
      begin: (body, call) => ({
        request: {
          method: 'POST',
          origin: call.settings.custom_host ?? '',
          path: '/speak',
          headers: [
            'content-type',
            'application/json',
            ...[...call.media.values()].flatMap((each) => ['x-inlined', `${each.mimeType},${each.base64}`]),
          ],
          body,
          dropped: [],
        },
        tap: new ParrotTap(),
        result: (text) => result(text, call),
        reader: () => new ParrotStream(),
      }),
    },
  },
  fault: (_status, body) => {
    const { squawk } = JSON.parse(body) as { squawk: string };
    return { message: squawk, type: 'SQUAWK', code: 7, hint: 'Feed the parrot.' };
  },
});

export default parrot;

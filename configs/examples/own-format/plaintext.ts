import type { Call, Dropped, JsonBody, ModelEvent, Provider, StreamTransform, Tap, WireEvent } from 'llm-gateway/provider';

interface Settings {
  readonly custom_host: string;
}

/** A whole response, or one event of a stream: the last one has `tokens`. */
interface Piece {
  readonly text: string;
  readonly tokens?: { readonly read: number; readonly written: number };
}

const read = (text: string): Piece => JSON.parse(text) as Piece;

interface Message {
  readonly role: string;
  readonly content: string | readonly { readonly text?: string }[];
}

/** For the record: the commit point, the end, the usage. */
class PlainTap implements Tap {
  complete = false;
  usage: Tap['usage'];
  finish: string[] = [];
  model: undefined;
  id: undefined;
  fault: Tap['fault'];
  contentEvents = 0;

  event({ data }: WireEvent): 'content' | 'end' {
    const piece = read(data);
    if (piece.text !== '') this.contentEvents += 1;
    if (piece.tokens === undefined) return 'content';
    this.#end(piece);
    return 'end';
  }

  whole(text: string): undefined {
    this.#end(read(text));
  }

  #end({ tokens }: Piece): void {
    this.complete = true;
    this.finish = ['stop'];
    if (tokens !== undefined) this.usage = { prompt: tokens.read, completion: tokens.written };
  }
}

/** For the client: events of the service become events of the gateway, which writes them in the client's format. */
class PlainReader implements StreamTransform<WireEvent, ModelEvent> {
  readonly #call: Call;
  #isStarted = false;

  constructor(call: Call) {
    this.#call = call;
  }

  *push({ data }: WireEvent): Iterable<ModelEvent> {
    const { text, tokens } = read(data);
    if (!this.#isStarted) yield { type: 'start', id: '', model: this.#call.model, created: this.#call.createdAt };
    this.#isStarted = true;
    if (text !== '') yield { type: 'text', choice: 0, text };
    if (tokens === undefined) return;
    yield { type: 'finish', choice: 0, reason: 'stop' };
    yield { type: 'usage', usage: { prompt: tokens.read, completion: tokens.written } };
  }

  /** Without a `finish` before it, the end is reported to the client as a stream that was cut off. */
  end(): Iterable<ModelEvent> {
    return [];
  }

  /** Nothing is open that would have to be closed: the gateway writes the error. */
  fail(): Iterable<ModelEvent> {
    return [];
  }
}

/** The object that a chat completion without a stream is answered with. */
function chatCompletion({ text, tokens = { read: 0, written: 0 } }: Piece, call: Call): object {
  return {
    id: `chatcmpl-${call.id}`,
    object: 'chat.completion',
    created: call.createdAt,
    model: call.model,
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop', logprobs: null }],
    usage: { prompt_tokens: tokens.read, completion_tokens: tokens.written, total_tokens: tokens.read + tokens.written },
  };
}

/** A service with a format of its own: one text in, one text out. */
const plaintext: Provider<Settings> = {
  type: 'plaintext',
  aliases: [],
  entry: {
    settings: { type: 'object', properties: {}, required: ['custom_host'] },
    requestSettings: [],
    apiKey: 'required',
    credential: (_settings, key) => (key === undefined ? { scheme: 'none' } : { scheme: 'bearer', secret: key }),
  },
  operations: {
    'chat/completions': {
      isConverted: true,
      begin: (body, call) => ({
        request: {
          origin: new URL(call.settings.custom_host).origin,
          path: '/write',
          method: 'POST',
          headers: ['content-type', 'application/json'],
          body: body.kind === 'json' ? body.replace({ model: call.model, stream: call.stream, text: prompt(body) }) : body,
          dropped: body.kind === 'json' ? dropped(body) : [],
        },
        tap: new PlainTap(),
        result: (text) => chatCompletion(read(text), call),
        reader: () => new PlainReader(call),
      }),
    },
  },
  fault: (status, body) => ({ message: body === '' ? `The service returned the status ${status}.` : body }),
};

/** The messages as one text; parts of a message that are no text are left out. */
function prompt(body: JsonBody): string {
  return (body.value('messages') as readonly Message[])
    .map(({ role, content }) => `${role}: ${typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('')}`)
    .join('\n');
}

/** Names to the client what the service has no place for. */
function dropped(body: JsonBody): readonly Dropped[] {
  return [...body.keys()]
    .filter((param) => !['model', 'messages', 'stream', 'stream_options'].includes(param))
    .map((param) => ({ param, reason: 'the service has no such parameter' }));
}

export default plaintext;

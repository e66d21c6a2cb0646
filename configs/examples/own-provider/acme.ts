import type { Provider, Tap } from 'llm-gateway/provider';

interface Settings {
  readonly custom_host: string;
}

interface Chunk {
  readonly id?: string;
  readonly model?: string;
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null;
  readonly choices?: readonly { readonly finish_reason?: string | null; readonly delta?: { readonly content?: string } }[];
}

/** Watches one response: when a stream has content, whether it is complete, and its usage for the record. */
class AcmeTap implements Tap {
  complete = false;
  usage: Tap['usage'];
  finish: string[] = [];
  model: string | undefined;
  id: string | undefined;
  fault: Tap['fault'];
  contentEvents = 0;

  event({ data }: { readonly data: string }): 'meta' | 'content' | 'end' {
    if (data === '[DONE]') {
      this.complete = true;
      return 'end';
    }
    const chunk = this.#read(data);
    if (chunk.choices?.[0]?.delta?.content === undefined) return 'meta';
    this.contentEvents += 1;
    return 'content';
  }

  whole(text: string): undefined {
    this.#read(text);
    this.complete = true;
  }

  #read(text: string): Chunk {
    const chunk = JSON.parse(text) as Chunk;
    this.id = chunk.id;
    this.model = chunk.model;
    if (chunk.usage) this.usage = { prompt: chunk.usage.prompt_tokens, completion: chunk.usage.completion_tokens };
    const reason = chunk.choices?.[0]?.finish_reason;
    if (typeof reason === 'string') this.finish = [reason];
    return chunk;
  }
}

/** A service in the OpenAI format with its own path and its own header for the key. */
const acme: Provider<Settings> = {
  type: 'acme',
  aliases: [],
  entry: {
    settings: { type: 'object', properties: {}, required: ['custom_host'] },
    requestSettings: [],
    apiKey: 'required',
    credential: (_settings, key) => (key === undefined ? { scheme: 'none' } : { scheme: 'header', name: 'x-acme-key', secret: key }),
  },
  operations: {
    'chat/completions': {
      begin: (body, { settings, stream, model }) => ({
        request: {
          origin: new URL(settings.custom_host).origin,
          path: stream ? '/chat/stream' : '/chat',
          method: 'POST',
          headers: ['content-type', 'application/json'],
          body: body.kind === 'json' ? body.edit(new Map([['model', model]])) : body,
          dropped: [],
        },
        tap: new AcmeTap(),
      }),
    },
  },
  fault: (status, body) => ({ message: body === '' ? `The service returned the status ${status}.` : body }),
};

export default acme;

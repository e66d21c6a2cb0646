import { toFile } from 'openai';
import { Portkey } from 'portkey-ai';
import { type Client, fileBytes, runAll, type Scenario, type Thrown, weatherTool } from './scenarios.ts';

const messages = [{ role: 'user', content: 'hi' }];

/** npm `portkey-ai`. */
export const portkeyNpm: Client = {
  name: 'npm portkey-ai',
  lacks: { client_timeout: 'it has no clock of its own' },
  run: (baseURL, apiKey) =>
    runAll(
      stepsOf((more) => new Portkey({ baseURL, apiKey, ...more })),
      thrownOf,
    ),
};

/** @param open creates a client: options of a call stay with a client, so each call with options needs a new one */
function stepsOf(open: (more?: Readonly<Record<string, unknown>>) => Portkey): Partial<Record<Scenario, () => Promise<unknown>>> {
  const client = open();
  const chat = (model: string, more?: Readonly<Record<string, unknown>>): Promise<unknown> =>
    (more === undefined ? client : open(more)).chat.completions.create({ model, messages }).then(chatReport);
  return {
    chat: () => chat('m-text'),
    chat_stream: async () =>
      streamReport(
        await client.chat.completions.create({ model: 'm-text', messages, stream: true, stream_options: { include_usage: true } }),
      ),
    tools: async () => toolReport(await client.chat.completions.create({ model: 'm-tools', messages, tools: [weatherTool] })),
    tools_stream: async () => {
      const stream = (await client.chat.completions.stream({ model: 'm-tools', messages, tools: [weatherTool] })) as Finishing;
      return toolReport(await stream.finalChatCompletion());
    },
    embeddings: async () => (await client.embeddings.create({ model: 'm-embed', input: 'hi' })).data?.[0]?.embedding,
    image: async () => ((await client.images.generate({ model: 'm-image', prompt: 'a frog' })) as Images).data?.[0]?.b64_json,
    moderation: async () => (await client.moderations.create({ model: 'm-mod', input: 'hi' })).results?.[0]?.flagged,
    response: async () => ((await client.responses.create({ model: 'm-text', input: 'hi' })) as { output_text?: string }).output_text,
    response_stream: async () => {
      let text = '';
      const stream = (await client.responses.create({
        model: 'm-text',
        input: 'hi',
        stream: true,
      })) as unknown as AsyncIterable<ResponseEvent>;
      for await (const event of stream) {
        if (event.type === 'response.output_text.delta') text += event.delta ?? '';
        if (event.type === 'response.completed') return [text, event.response?.status];
      }
      return text;
    },
    models: async () => ids(await client.models.list()),
    provider_models: async () => ids(await open({ provider: '@main' }).models.list()),
    file_create: async () =>
      ((await client.files.create({ file: await toFile(fileBytes, 'bytes.bin'), purpose: 'batch' })) as { id?: string }).id,
    file_list: async () => ids(await client.files.list({ limit: '5' })),
    error: () => chat('m-refuse'),
    wrong_key: () => chat('m-text', { apiKey: 'not-a-key-of-this-gateway' }),
    rate_limit: () => chat('m-limit'),
    all_failed: () => chat('m-down', { config: 'broken' }),
    target_timeout: () => chat('m-silent', { requestTimeout: 100 }),
    broken_stream: async () => streamReport(await client.chat.completions.create({ model: 'm-breaks', messages, stream: true })),
    abort: async () => {
      // The library offers no other way to abort than leaving the loop.
      for await (const { choices } of await client.chat.completions.create({ model: 'm-endless', messages, stream: true })) {
        const content: unknown = choices[0]?.delta?.content;
        if (content === 'Grüße') return content;
      }
      return 'the stream ended';
    },
  };
}

interface Completion {
  readonly choices: readonly {
    readonly message?: { readonly content?: unknown; readonly tool_calls?: readonly ToolCall[] };
    readonly finish_reason?: string;
  }[];
  readonly usage?: { readonly total_tokens?: number };
}
interface ToolCall {
  readonly id: string;
  readonly function?: { readonly name: string; readonly arguments: string };
}
interface Finishing {
  finalChatCompletion(): Promise<Completion>;
}
interface Chunk {
  readonly choices?: readonly { readonly delta?: { readonly content?: unknown }; readonly finish_reason?: string | null }[];
  readonly usage?: { readonly total_tokens?: number };
  readonly error?: { readonly code?: string; readonly message?: string };
}
interface ResponseEvent {
  readonly type: string;
  readonly delta?: string;
  readonly response?: { readonly status?: string };
}
interface Images {
  readonly data?: readonly { readonly b64_json?: string }[];
}

const ids = (list: unknown): readonly unknown[] => (list as { data: readonly { id: string }[] }).data.map(({ id }) => id);

function chatReport(completion: unknown): unknown {
  const { choices, usage } = completion as Completion;
  return [choices[0]?.message?.content, choices[0]?.finish_reason, usage?.total_tokens];
}

function toolReport(completion: unknown): unknown {
  const [choice] = (completion as Completion).choices;
  const call = choice?.message?.tool_calls?.[0];
  return [call?.id, call?.function?.name, call?.function?.arguments, choice?.finish_reason];
}

/** The library returns an error in the stream as a chunk. */
async function streamReport(stream: unknown): Promise<unknown> {
  let text = '';
  let finish: string | null = null;
  let total: number | undefined;
  for await (const { choices, usage, error } of stream as AsyncIterable<Chunk>) {
    if (error !== undefined) return [text, error.code, error.message];
    const content = choices?.[0]?.delta?.content;
    if (typeof content === 'string') text += content;
    finish = choices?.[0]?.finish_reason ?? finish;
    total = usage?.total_tokens ?? total;
  }
  return [text, finish, total];
}

interface PortkeyError {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The whole body. */
  readonly error?: { readonly error?: { readonly code?: string } };
}

function thrownOf(error: unknown): Thrown {
  const { status, headers, error: body } = error as PortkeyError;
  return {
    class: (error as Error).constructor.name,
    status: status ?? null,
    code: body?.error?.code ?? null,
    message: (error as Error).message,
    request_id: headers?.['x-request-id'] ?? null,
    retry_after: headers?.['retry-after'] ?? null,
  };
}

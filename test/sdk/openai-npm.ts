import OpenAI, { APIError, toFile } from 'openai';
import type { ChatCompletion, ChatCompletionChunk } from 'openai/resources/chat/completions';
import { type Client, fileBytes, runAll, type Scenario, type Thrown, weatherTool } from './scenarios.ts';

const messages = [{ role: 'user' as const, content: 'hi' }];

/** npm `openai`. */
export const openaiNpm: Client = {
  name: 'npm openai',
  lacks: {},
  run: (baseURL, apiKey) => runAll(stepsOf(new OpenAI({ baseURL, apiKey }), baseURL), thrownOf),
};

function stepsOf(client: OpenAI, baseURL: string): Record<Scenario, () => Promise<unknown>> {
  const chat = (model: string, options?: OpenAI.RequestOptions): Promise<ChatCompletion> =>
    client.chat.completions.create({ model, messages }, options);
  return {
    chat: async () => chatReport(await chat('m-text')),
    chat_stream: async () =>
      streamReport(
        await client.chat.completions.create({ model: 'm-text', messages, stream: true, stream_options: { include_usage: true } }),
      ),
    tools: async () => toolReport(await client.chat.completions.create({ model: 'm-tools', messages, tools: [weatherTool] })),
    tools_stream: async () =>
      toolReport(await client.chat.completions.stream({ model: 'm-tools', messages, tools: [weatherTool] }).finalChatCompletion()),
    embeddings: async () => (await client.embeddings.create({ model: 'm-embed', input: 'hi' })).data[0]?.embedding,
    image: async () => (await client.images.generate({ model: 'm-image', prompt: 'a frog' })).data?.[0]?.b64_json,
    moderation: async () => (await client.moderations.create({ model: 'm-mod', input: 'hi' })).results[0]?.flagged,
    response: async () => (await client.responses.create({ model: 'm-text', input: 'hi' })).output_text,
    response_stream: async () => {
      let text = '';
      for await (const event of await client.responses.create({ model: 'm-text', input: 'hi', stream: true })) {
        if (event.type === 'response.output_text.delta') text += event.delta;
        if (event.type === 'response.completed') return [text, event.response.status];
      }
      return text;
    },
    models: async () => (await client.models.list()).data.map(({ id }) => id),
    provider_models: async () => (await client.models.list({ headers: { 'x-gateway-provider': '@main' } })).data.map(({ id }) => id),
    file_create: async () => (await client.files.create({ file: await toFile(fileBytes, 'bytes.bin'), purpose: 'batch' })).id,
    file_list: async () => (await client.files.list({ limit: 5 })).data.map(({ id }) => id),
    error: () => chat('m-refuse'),
    wrong_key: () => new OpenAI({ baseURL, apiKey: 'not-a-key-of-this-gateway' }).chat.completions.create({ model: 'm-text', messages }),
    rate_limit: () => chat('m-limit', { maxRetries: 0 }),
    all_failed: () => chat('m-down', { headers: { 'x-gateway-config': 'broken' } }),
    target_timeout: () => chat('m-silent', { maxRetries: 0, headers: { 'x-gateway-config': 'impatient' } }),
    broken_stream: async () => streamReport(await client.chat.completions.create({ model: 'm-breaks', messages, stream: true })),
    abort: async () => {
      const stream = await client.chat.completions.create({ model: 'm-endless', messages, stream: true });
      for await (const { choices } of stream) {
        if (choices[0]?.delta.content !== answersFirst) continue;
        stream.controller.abort();
        return choices[0].delta.content;
      }
      return 'the stream ended';
    },
    client_timeout: () => chat('m-silent', { maxRetries: 0, timeout: 300 }),
  };
}

/** The content that the provider sends before it stops. */
const answersFirst = 'Grüße';

function chatReport({ choices, usage }: ChatCompletion): unknown {
  return [choices[0]?.message.content, choices[0]?.finish_reason, usage?.total_tokens];
}

function toolReport({ choices }: ChatCompletion): unknown {
  const call = choices[0]?.message.tool_calls?.[0];
  return call?.type === 'function' ? [call.id, call.function.name, call.function.arguments, choices[0]?.finish_reason] : call;
}

async function streamReport(stream: AsyncIterable<ChatCompletionChunk>): Promise<unknown> {
  let text = '';
  let finish: string | null = null;
  let total: number | undefined;
  for await (const { choices, usage } of stream) {
    text += choices[0]?.delta.content ?? '';
    finish = choices[0]?.finish_reason ?? finish;
    total = usage?.total_tokens ?? total;
  }
  return [text, finish, total];
}

function thrownOf(error: unknown): Thrown {
  if (!(error instanceof APIError))
    return { class: 'not an APIError', status: null, code: null, message: String(error), request_id: null, retry_after: null };
  return {
    class: error.constructor.name,
    status: error.status ?? null,
    code: error.code ?? null,
    message: error.message,
    request_id: error.requestID ?? null,
    retry_after: error.headers?.get('retry-after') ?? null,
  };
}

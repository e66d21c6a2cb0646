import type { ServerResponse } from 'node:http';
import { json, type SeenRequest, sse } from '../support/upstream.ts';

/** A service with an OpenAI-compatible API: its real responses, including the members that only it sends. */
export interface Compatible {
  /** Path of its base URL. */
  readonly base: string;
  /** Name of a model as clients of the service write it. */
  readonly model: string;
  readonly hasKey: boolean;
  whole(text: string): string;
  stream(pieces: readonly string[]): readonly string[];
  readonly models: { readonly data: readonly { readonly id: string }[] };
  readonly missing: { readonly message: string; readonly [member: string]: unknown };
}

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const done = 'data: [DONE]\n\n';
const created = 1_767_213_718;

/** Ollama, its page "OpenAI compatibility". */
const ollama: Compatible = (() => {
  const model = 'llama3.2';
  const head = { id: 'chatcmpl-887', created, model, system_fingerprint: 'fp_ollama' };
  const chunk = (content: string, finish: string | null = null) =>
    data({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: finish }],
    });
  return {
    base: '/v1',
    model,
    hasKey: false,
    whole: (content) =>
      JSON.stringify({
        ...head,
        object: 'chat.completion',
        choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 28, completion_tokens: 3, total_tokens: 31 },
      }),
    stream: (pieces) => [...pieces.map((piece) => chunk(piece)), chunk('', 'stop'), done],
    models: { object: 'list', data: [{ id: 'llama3.2:latest', object: 'model', created, owned_by: 'library' }] },
    missing: { message: 'model "other" not found, try pulling it first', type: 'not_found_error', param: null, code: null },
  };
})();

/** vLLM, its page "OpenAI-Compatible Server". */
const vllm: Compatible = (() => {
  const model = 'Qwen/Qwen2.5-1.5B-Instruct';
  const head = { id: 'chatcmpl-0f2b6d3c9d8f4a7e', created, model };
  const chunk = (delta: object, finish: string | null = null) =>
    data({
      ...head,
      object: 'chat.completion.chunk',
      choices: [
        { index: 0, delta, logprobs: null, finish_reason: finish, ...(finish === null ? { token_ids: null } : { stop_reason: null }) },
      ],
    });
  return {
    base: '/v1',
    model,
    hasKey: true,
    whole: (content) =>
      JSON.stringify({
        ...head,
        object: 'chat.completion',
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              content,
              refusal: null,
              annotations: null,
              audio: null,
              function_call: null,
              tool_calls: [],
              reasoning_content: null,
            },
            logprobs: null,
            finish_reason: 'stop',
            stop_reason: null,
            token_ids: null,
          },
        ],
        service_tier: null,
        system_fingerprint: null,
        usage: { prompt_tokens: 31, total_tokens: 34, completion_tokens: 3, prompt_tokens_details: null },
        prompt_logprobs: null,
        prompt_token_ids: null,
        kv_transfer_params: null,
      }),
    stream: (pieces) => [
      chunk({ role: 'assistant', content: '' }),
      ...pieces.map((content) => chunk({ content })),
      chunk({ content: '' }, 'stop'),
      done,
    ],
    models: {
      object: 'list',
      data: [{ id: model, object: 'model', created, owned_by: 'vllm', root: model, parent: null, max_model_len: 32_768 }],
    },
    missing: { message: 'The model `other` does not exist.', type: 'NotFoundError', param: 'model', code: 404 },
  };
})();

/** Groq, as recorded. */
const groq: Compatible = (() => {
  const model = 'llama-3.1-8b-instant';
  const head = { id: 'chatcmpl-85535f48-a661-46b4-ba65-c2361ffafec5', created, model, system_fingerprint: 'fp_873a560973' };
  const usage = {
    queue_time: 0.31720103099999997,
    prompt_tokens: 18,
    prompt_time: 0.00594757,
    completion_tokens: 3,
    completion_time: 0.053333333,
    total_tokens: 21,
    total_time: 0.059280903,
  };
  const x_groq = { id: 'req_01j6yb3twhez29t2mcww5kyd2z' };
  const chunk = (delta: object, finish: string | null = null, more: object = {}) =>
    data({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...more,
    });
  return {
    base: '/openai/v1',
    model,
    hasKey: true,
    whole: (content) =>
      JSON.stringify({
        ...head,
        object: 'chat.completion',
        choices: [{ index: 0, message: { role: 'assistant', content }, logprobs: null, finish_reason: 'stop' }],
        usage,
        x_groq,
      }),
    stream: (pieces) => [
      chunk({ role: 'assistant', content: '' }, null, { x_groq }),
      ...pieces.map((content) => chunk({ content })),
      chunk({}, 'stop', { x_groq: { ...x_groq, usage } }),
      done,
    ],
    models: { object: 'list', data: [{ id: model, object: 'model', created, owned_by: 'Meta', active: true, context_window: 131_072 }] },
    missing: { code: 'model_not_found', message: 'The model `other` does not exist or you do not have access to it.' },
  };
})();

/** OpenRouter, as recorded: white space before a complete response, comments before a stream. */
const openrouter: Compatible = (() => {
  const model = 'anthropic/claude-sonnet-4.5';
  const head = { id: 'gen-1769673486-ocfnBZDIDmDmm2S5hB7R', provider: 'Amazon Bedrock', model, created };
  const usage = { prompt_tokens: 9, completion_tokens: 10, total_tokens: 19, cost: 0.000354, is_byok: false };
  const chunk = (content: string, finish: string | null = null, more: object = {}) =>
    data({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: finish, native_finish_reason: finish, logprobs: null }],
      ...more,
    });
  return {
    base: '/api/v1',
    model,
    hasKey: true,
    whole: (content) =>
      `\n         \n\n         \n${JSON.stringify({
        ...head,
        object: 'chat.completion',
        choices: [
          {
            logprobs: null,
            finish_reason: 'stop',
            native_finish_reason: 'stop',
            index: 0,
            message: { role: 'assistant', content, refusal: null, reasoning: null },
          },
        ],
        usage,
      })}`,
    stream: (pieces) => [
      ': OPENROUTER PROCESSING\n\n',
      ': OPENROUTER PROCESSING\n\n',
      ...pieces.map((piece) => chunk(piece)),
      chunk('', 'stop'),
      chunk('', null, { usage }),
      done,
    ],
    models: {
      object: 'list',
      data: [{ id: model, canonical_slug: model, name: 'Anthropic: Claude Sonnet 4.5', created, context_length: 1_000_000 }],
    },
    missing: { message: 'No endpoints found for other.', code: 404 },
  };
})();

export const compatible = { ollama, vllm, groq, openrouter } as const;

export const pieces = ['Hello', ' there', '!'] as const;

/** Serves chat completions and the model list; rejects any other path or credential. */
export function serve(service: Compatible, response: ServerResponse, request: SeenRequest, credential: string): void {
  const authorization = service.hasKey ? `Bearer ${credential}` : undefined;
  if (request.headers.authorization !== authorization) return json(response, 401, { error: { message: 'Invalid API Key' } });
  if (request.url === `${service.base}/models` && request.method === 'GET') return json(response, 200, service.models);
  if (request.url !== `${service.base}/chat/completions`) return json(response, 404, { error: { message: 'No such route' } });
  const { model, stream } = JSON.parse(request.body.toString('utf8')) as { model: string; stream?: boolean };
  if (model !== service.model) return json(response, 404, { error: service.missing });
  if (stream === true) return sse(response, service.stream(pieces));
  response.writeHead(200, { 'content-type': 'application/json' }).end(service.whole(pieces.join('')));
}

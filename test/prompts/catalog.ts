import { createHash } from 'node:crypto';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { json, type ScriptedUpstream, sse, startUpstream } from '../support/upstream.ts';

const hash = (key: string): string => `sha256:${createHash('sha256').update(key).digest('hex')}`;

export const appKey = 'app-key-0123456789abcdef';
export const narrowKey = 'narrow-key-0123456789abcdef';
export const boundKey = 'bound-key-0123456789abcdef';

/** Prompts, and configs with targets that run a prompt. */
const prompts = {
  welcome: {
    published: 1,
    labels: { canary: 2 },
    versions: {
      1: {
        config: 'support',
        model: 'gpt-4o-mini',
        parameters: {
          temperature: 0.3,
          max_tokens: 300,
          response_format: { type: 'text' },
          stream: true,
          stream_options: { include_usage: true },
        },
        variables: { product: { type: 'string', required: true }, tone: { default: 'friendly' }, question: {}, count: { type: 'number' } },
        metadata: { prompt_team: 'hello' },
        messages: [
          { role: 'system', content: 'You greet customers of {{product}} in a {{tone}} tone.' },
          { role: 'user', content: '{{question}}' },
        ],
      },
      2: { model: '@second/gpt-4o', messages: [{ role: 'user', content: 'Second of {{product}}' }] },
    },
  },
  other: { model: 'm-other', parameters: { temperature: 1, top_p: 0.5 }, messages: [{ role: 'user', content: 'Other {{product}}' }] },
  needy: { variables: { secret_word: { required: true } }, messages: [{ role: 'user', content: '{{secret_word}}' }] },
};

const configs = {
  support: { provider: 'main' },
  else: { provider: 'second' },
  open: { override_params: { top_p: 0.1 } },
  two: {
    strategy: { mode: 'fallback' },
    targets: [{ provider: 'main', prompt_id: 'other', override_params: { temperature: 0 } }, { provider: 'second' }],
  },
};

/** An upstream that serves chat completions, complete or streamed; the first `fails` responses are 500. */
export async function startChat(): Promise<ScriptedUpstream> {
  return startUpstream((response, request) => {
    if (!request.url.startsWith('/v1/chat/completions')) return json(response, 404, { error: { message: 'no such path', type: 'x' } });
    const body = JSON.parse(request.body.toString()) as Record<string, unknown>;
    // The real API rejects unknown parameters.
    for (const field of ['variables', 'promptID', 'prompt_id'])
      if (field in body)
        return json(response, 400, {
          error: { message: `Unrecognized request argument supplied: ${field}`, type: 'invalid_request_error' },
        });
    if ('stream_options' in body && body['stream'] !== true)
      return json(response, 400, {
        error: { message: "The 'stream_options' parameter is only allowed when 'stream' is enabled.", type: 'invalid_request_error' },
      });
    if (body['model'] === 'm-other' && body['user'] === 'fail')
      return json(response, 500, { error: { message: 'down', type: 'server_error' } });
    const base = { id: 'chatcmpl-1', created: 1, model: body['model'] };
    if (body['stream'] !== true) {
      const message = { role: 'assistant', content: 'Grüße', refusal: null };
      return json(response, 200, {
        ...base,
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason: 'stop', logprobs: null }],
        usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
      });
    }
    const chunk = (delta: object, finish_reason: string | null): string =>
      `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason, logprobs: null }] })}\n\n`;
    return sse(response, [
      chunk({ role: 'assistant', content: '' }, null),
      chunk({ content: 'Grü' }, null),
      chunk({ content: 'ße' }, null),
      chunk({}, 'stop'),
      'data: [DONE]\n\n',
    ]);
  });
}

export async function startPrompts(upstream: ScriptedUpstream, withKeys = false): Promise<TestGateway> {
  const provider = { type: 'openai', api_key: 'sk-upstream-0123456789abcdefgh', custom_host: `${upstream.url}/v1` };
  const api_keys = {
    app: { hash: hash(appKey), default_config: 'else' },
    narrow: { hash: hash(narrowKey), allow: { prompts: ['welcome'], configs: ['two', 'inline'], models: ['gpt-4o'] } },
    bound: { hash: hash(boundKey), default_config: 'support', enforce_config: true },
  };
  return startTestGateway(
    JSON.stringify({
      version: 1,
      server: { state_dir: 'memory' },
      logging: { requests: { bodies: 'full' } },
      providers: { main: provider, second: provider },
      configs,
      prompts,
      ...(withKeys ? { api_keys } : {}),
    }),
  );
}

/** The last body that the upstream received. */
export const lastBody = (upstream: ScriptedUpstream): Record<string, unknown> =>
  JSON.parse(upstream.requests.at(-1)?.body.toString() ?? '{}') as Record<string, unknown>;

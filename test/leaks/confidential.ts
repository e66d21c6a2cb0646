import type { ServerResponse } from 'node:http';
import { completion, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { sendRequest } from './sinks.ts';

/**
 * Confidential values of users, in requests of every form, echoed by providers in responses, streams and errors of every
 * form: for searches through everything that a gateway stores, exports and shows.
 */

/** The text that is sent, and a part of it that occurs nowhere else. */
const values: readonly (readonly [text: string, part: string])[] = [
  ['canary.jane@example.com', 'canary.jane'],
  ['+49 30 98765432', '98765432'],
  ['4012 8888 8888 1881', '8888 8888'],
  ['GB82 WEST 1234 5698 7654 32', 'WEST 1234'],
  ['sk-canaryabcdefghijklmnop0123456789', 'canaryabcdef'],
  ['gw_live_canaryQ7h0Zk3vJm8tXw1bRn_4K7d', 'canaryQ7h0'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJlLWNhbmFyeQ', 'eyJzdWIiOiJjYW5hcnkifQ'],
  ['Bearer canarytoken0123456789abcdef', 'canarytoken'],
  ['https://canaryuser:canarypass@host.example/x', 'canarypass'],
  ['password=canary-Passw0rd-99', 'canary-Passw0rd'],
  ['ACME-987654', 'ACME-9876'],
  ['-----BEGIN RSA PRIVATE KEY-----\nMIICanaryKeyMaterial00112233\n-----END RSA PRIVATE KEY-----', 'MIICanaryKey'],
];
export const confidentialText = values.map(([text]) => text).join(' , ');
/** A value in the query of a URL: short and only letters. */
const inQuery = 'canaryquery';
const parts = [...values.map(([, part]) => part), inQuery];
/** A secret of the configuration: known to the gateway, and repeated by the provider. */
const apiKey = 'canary-provider-credential-0123456789';
const image = Buffer.from('canary-image-'.repeat(200)).toString('base64');

const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'up-1' });
  response.end(JSON.stringify(body));
};
const chunk = (content: string): string =>
  `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content } }] })}\n\n`;
const echo = `${confidentialText} ${apiKey}`;

/** A provider that returns all of it, in the way that the model names; `mirror` returns only the request. */
export const startEcho = (): Promise<ScriptedUpstream> =>
  startUpstream((response, { body }) => {
    const text = body.toString('utf8');
    const model = /"model":"([\w-]+)"/.exec(text)?.[1] ?? 'whole';
    if (model === 'mirror') return json(response, 200, completion(text));
    (outcomes[model] ?? outcomes['whole'])?.(response);
  });

/** How the provider responds, by requested model. */
const outcomes: Readonly<Record<string, (response: ServerResponse) => void>> = {
  whole: (response) =>
    json(response, 200, {
      id: 'c1',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          message: { role: 'assistant', content: echo },
          logprobs: { content: Array.from(echo, (token) => ({ token, logprob: 0 })) },
        },
      ],
    }),
  stream: (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of echo.match(/[^]{1,3}/g) ?? []) response.write(chunk(piece));
    response.end('data: [DONE]\n\n');
  },
  cut: (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of echo.match(/[^]{1,5}/g) ?? []) response.write(chunk(piece));
    response.write(chunk(' card 4012 8888 8888 18'));
    response.write('data: {"choices":[{"delta":{"content":"canary.ja');
    setTimeout(() => response.destroy(), 50);
  },
  'error-event': (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk('a'));
    response.end(`data: ${JSON.stringify({ error: { message: echo, type: 'server_error', code: null } })}\n\n`);
  },
  e400: (response) =>
    json(response, 400, { error: { message: `Invalid value: ${echo}`, type: 'invalid_request_error', param: null, code: null } }),
  e401: (response) =>
    json(response, 401, { error: { message: `Incorrect API key: ${echo}`, type: 'invalid_request_error', param: null, code: null } }),
  e500: (response) => {
    response.writeHead(500, { 'content-type': 'text/plain' });
    response.end(`crashed on ${echo}`);
  },
  invalid: (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`{"choices": ${echo}`);
  },
  html: (response) => {
    response.writeHead(502, { 'content-type': 'text/html' });
    response.end(`<html>${echo}</html>`);
  },
  reset: (response) => response.destroy(),
};

/** @param more members of `logging.requests`, and what follows it */
export const confidentialYaml = (url: string, more = ''): string => `version: 1
providers:
  up: {type: openai, custom_host: "${url}/v1", api_key: ${apiKey}}
  claude: {type: anthropic, custom_host: "${url}", api_key: ${apiKey}}
  mock: {type: mock}
configs:
  chain:
    strategy: {mode: fallback}
    targets: [{provider: up, override_params: {user: "someone@example.com"}}, {provider: claude}]
logging:
  requests:
    redact: {fields: [user], patterns: [email, phone, iban, credit_card, "regex:ACME-\\\\d{6}"]}
    ${more}
`;

const metadata = JSON.stringify({ note: values[2]?.[0].replaceAll(' ', ''), key: values[4]?.[0], order: 'ACME-987654' });
const content = [
  { type: 'text', text: confidentialText },
  { type: 'image_url', image_url: { url: `data:image/png;base64,${image}` } },
];

/** @returns IDs of the requests */
export async function sendAll(url: string): Promise<string[]> {
  const ids: string[] = [];
  const base = url.replace(/\/$/, '');
  const send = async (path: string, body: object, headers: Record<string, string> = {}): Promise<void> => {
    const response = await sendRequest(base, { path, body, headers: { 'x-gateway-metadata': metadata, ...headers } });
    ids.push(response.id ?? '');
  };
  for (const model of Object.keys(outcomes)) {
    for (const stream of [false, true]) {
      const chat = {
        model: `@up/${model}`,
        stream,
        user: 'canary.jane',
        messages: [{ role: 'user', content }],
        labels: { order: 'ACME-987654' },
      };
      await send('/v1/chat/completions', chat);
      await send('/v1/chat/completions', { ...chat, model: `@claude/${model}` });
      await send('/v1/messages', { model: `@up/${model}`, max_tokens: 9, stream, messages: [{ role: 'user', content: confidentialText }] });
    }
    await send('/v1/chat/completions', { model, messages: [{ role: 'user', content: confidentialText }] }, { 'x-gateway-config': 'chain' });
    await send('/v1/responses', { model: `@up/${model}`, input: confidentialText });
    await send('/v1/completions', { model: `@up/${model}`, prompt: confidentialText });
    await send(`/v1/embeddings?client_secret=${inQuery}&a=b`, { model: `@up/${model}`, input: [confidentialText] });
  }
  await send('/v1/chat/completions', { model: '@mock/m', stream: true, messages: [{ role: 'user', content: confidentialText }] });
  await send('/v1/chat/completions', { model: '@mock/m', messages: confidentialText });
  await send('/v1/chat/completions', { model: confidentialText });
  await send('/v1/feedback', { trace_id: 't', value: 1, metadata: { comment: values[4]?.[0] } });
  return ids.filter((id) => id !== '');
}

/** Returns which of the values, or of what only a secret contains, are in a text. */
export function confidentialIn(text: string): string[] {
  const spellings = [text, Buffer.from(text, 'latin1').toString('utf8')];
  return [...parts, apiKey, image.slice(0, 64)].filter((part) => spellings.some((one) => one.includes(part)));
}

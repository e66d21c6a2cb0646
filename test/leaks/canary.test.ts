import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startWire, type Wire } from '../faults/wire.ts';
import { runHere } from '../cli/in-process.ts';
import { startProcess, type Running, run } from '../cli/process.ts';
import { until } from '../support/gateway.ts';
import { type ReceivedResponse, type RequestSpec, sendRequest, filesBelow, encodingsOf } from './sinks.ts';

/**
 * Puts a distinct secret in every possible place, triggers every kind of error, and then searches all output of the
 * process: responses, both log formats, standard error, the spool, the saved copy of the configuration,
 * temporary files, and the output of the commands.
 */

/** Letters, digits and characters that JSON and URLs escape; each value is unique. */
const canary = (name: string): string => `cnry-${name}/${randomBytes(6).toString('hex')}+${randomBytes(6).toString('hex')}=`;

/** Secrets of the operator: known to the gateway, and sent only to the one provider. */
const callerSecrets = {
  env: canary('env'),
  file: canary('file'),
  literal: canary('literal'),
  deployment: canary('deployment'),
  clientSecret: canary('client-secret'),
  token: canary('token'),
  refreshed: canary('refreshed'),
  address: randomBytes(12).toString('hex'),
  text: canary('text'),
  misplaced: `sk-${randomBytes(16).toString('hex')}`,
  fallback: `sk-${randomBytes(16).toString('hex')}`,
};

/** Secrets of callers: credentials in usual and unusual places, and gateway keys. */
const callers = {
  gatewayKey: `gw_test_${randomBytes(16).toString('hex')}`,
  wrongKey: `gw_test_${randomBytes(16).toString('hex')}`,
  bearer: canary('bearer'),
  direct: canary('direct'),
  inConfig: canary('in-config'),
  escaped: canary('escaped'),
  nested: canary('nested'),
  base64: canary('base64'),
  userInfo: randomBytes(9).toString('hex'),
  hostQuery: randomBytes(9).toString('hex'),
  cookie: canary('cookie'),
  subscription: canary('subscription'),
  functions: canary('functions'),
  authToken: canary('auth-token'),
  apikey: canary('apikey'),
  google: canary('google'),
  proxy: canary('proxy'),
  aws: canary('aws'),
  session: canary('session'),
  serviceAccount: canary('service-account'),
  queryKey: randomBytes(9).toString('hex'),
  querySig: randomBytes(9).toString('hex'),
  queryToken: randomBytes(9).toString('hex'),
  pathKey: randomBytes(9).toString('hex'),
  setCookie: canary('set-cookie'),
};

let wire: Wire;
const dirs: string[] = [];

afterAll(async () => {
  await wire.close();
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
});

const yaml = (url: string, more = ''): string => `version: 1
server: {drain: {timeout: 1s}, egress: {allow: [127.0.0.1]}}
logging: {level: debug, requests: {bodies: full}}
providers:
  env: {type: openai, api_key: "\${env:CANARY_ENV}", custom_host: "${url}/v1", timeouts: {first_byte: 400ms, idle: 400ms, total: 2s}}
  file: {type: anthropic, api_key: "\${file:secrets/key.txt}", custom_host: "${url}/v1"}
  literal:
    type: azure-openai
    description: the key is ${callerSecrets.misplaced}
    api_key: ${callerSecrets.literal}
    custom_host: ${url}/openai
    deployments:
      m: {deployment_id: d, api_version: "2024-10-21", api_key: "${callerSecrets.deployment}"}
      n: {deployment_id: e, api_version: "2024-10-21"}
  entra:
    type: azure-openai
    description: "\${env:CANARY_UNSET:-${callerSecrets.fallback}}"
    custom_host: ${url}/openai
    auth: {mode: entra, tenant_id: t, client_id: c, client_secret: "\${env:CANARY_SECRET}", authority: "${url}"}
    deployments: {m: {deployment_id: d, api_version: "2024-10-21"}}
  nowhere: {type: openai, api_key: "\${env:CANARY_ENV}", custom_host: "http://127.0.0.1:1/v1"}
  open: {type: openai, api_key: "\${env:CANARY_ENV}", allow_custom_host: ["*.example"]}
configs:
  chain: {strategy: {mode: fallback}, targets: [nowhere/m, env/m, literal/m]}
prompts:
  hello: {model: "@env/m", messages: [{role: system, content: "Say \${env:CANARY_TEXT}"}, {role: user, content: "{{q}}"}]}
api_keys:
  caller: {hash: "sha256:${createHash('sha256').update(callers.gatewayKey).digest('hex')}"}
${more}`;

interface CanaryRun {
  readonly dir: string;
  readonly running: Running;
  readonly url: string;
  readonly responses: ReceivedResponse[];
  send(request: RequestSpec): Promise<ReceivedResponse>;
}

const env = (dir: string): Record<string, string> => ({
  CANARY_ENV: callerSecrets.env,
  CANARY_SECRET: callerSecrets.clientSecret,
  CANARY_TEXT: callerSecrets.text,
  TMPDIR: join(dir, 'tmp'),
});

function folder(text: (url: string) => string): string {
  const dir = mkdtempSync(join(tmpdir(), 'gateway-canary-'));
  dirs.push(dir);
  for (const name of ['secrets', 'tmp']) mkdirSync(join(dir, name));
  writeFileSync(join(dir, 'secrets/key.txt'), `${callerSecrets.file}\n`);
  writeFileSync(join(dir, 'gateway.yaml'), text(wire.url));
  return dir;
}

async function start(format: 'json' | 'pretty'): Promise<CanaryRun> {
  const dir = folder(yaml);
  const running = startProcess(['start', '--listen', '127.0.0.1:0', '--log-format', format, '--no-watch'], dir, env(dir));
  const [, url = ''] = await running.waitForOutput(/(http:\/\/127\.0\.0\.1:\d+)\/v1/);
  const responses: ReceivedResponse[] = [];
  return {
    dir,
    running,
    url,
    responses,
    async send(request) {
      const response = await sendRequest(url, { ...request, headers: { 'x-gateway-api-key': callers.gatewayKey, ...request.headers } });
      responses.push(response);
      return response;
    },
  };
}

/** Returns everything that the provider received: its headers in headers and body, with the status that the path names. */
function mirror(): Wire['script'] {
  return async (socket, { head, body }) => {
    const status = Number(/x-status: (\d+)/i.exec(head)?.[1] ?? /status(\d{3})/.exec(body)?.[1] ?? 200);
    const sent = [...head.matchAll(/^([\w-]+): (.*)$/gm)].map(([, name, value]) => [name?.toLowerCase(), value?.trim()] as const);
    const secrets = sent.filter(([name]) => /auth|key|token|cookie|secret/.test(name ?? '')).map(([, value]) => value);
    if (/POST \/t\/oauth2/.test(head)) {
      const token =
        status === 200 && !body.includes('fail')
          ? { token_type: 'Bearer', access_token: callerSecrets.token, expires_in: 3599 }
          : { error: 'invalid_client', error_description: `bad ${body}` };
      write(socket, 200, JSON.stringify(token), []);
      return;
    }
    if (body.includes('hang')) return;
    if (body.includes('"stream":true')) {
      const text = JSON.stringify({
        id: 'c',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'm',
        choices: [{ index: 0, delta: { content: secrets.join(' ') }, finish_reason: null }],
      });
      socket.write(`HTTP/1.1 200 ${secrets.join(' ')}\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n`);
      socket.write(`${(text.length + 8).toString(16)}\r\ndata: ${text}\n\n\r\n`);
      if (body.includes('break')) setTimeout(() => socket.destroy(), 20);
      else socket.write('e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n');
      return;
    }
    const echoPrompt = `echo ${secrets.join(' ')}`;
    const validBodies = {
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: echoPrompt }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 1 },
      choices: [{ index: 0, message: { role: 'assistant', content: echoPrompt }, finish_reason: 'stop' }],
    };
    const bad = { error: { message: echoPrompt, type: echoPrompt, code: echoPrompt, param: echoPrompt } };
    const headers = secrets.map((value, i) => `x-echo-${i}: ${value}`);
    write(socket, status, JSON.stringify(status < 400 ? validBodies : bad), [
      ...headers,
      `set-cookie: s=${callers.setCookie}`,
      `www-authenticate: Bearer realm="${echoPrompt}"`,
    ]);
  };
}

function write(socket: Parameters<Wire['script']>[0], status: number, body: string, headers: readonly string[]): void {
  socket.write(
    [`HTTP/1.1 ${status} x`, 'content-type: application/json', `content-length: ${Buffer.byteLength(body)}`, ...headers, '', body].join(
      '\r\n',
    ),
  );
}

const messages = [{ role: 'user', content: 'hi' }];
const chat = (model: string, more: object = {}): RequestSpec => ({
  path: '/v1/chat/completions',
  body: { model, messages, max_tokens: 9, ...more },
});
const inline = (config: object | string): RequestSpec => ({
  ...chat('m'),
  headers: { 'x-gateway-config': typeof config === 'string' ? config : JSON.stringify(config) },
});

/** Every credential that a caller may send in addition to the gateway key, on a request to the operator's provider. */
const strays: Record<string, string> = {
  authorization: `Bearer ${callers.bearer}`,
  cookie: `session=${callers.cookie}`,
  'ocp-apim-subscription-key': callers.subscription,
  'x-functions-key': callers.functions,
  'x-auth-token': callers.authToken,
  apikey: callers.apikey,
  'x-goog-api-key': callers.google,
  'proxy-authorization': `Basic ${callers.proxy}`,
  'x-gateway-aws-secret-access-key': callers.aws,
  'x-gateway-aws-session-token': callers.session,
  'x-gateway-vertex-service-account-json': JSON.stringify({ private_key: callers.serviceAccount }),
};
const query = `key=${callers.queryKey}&api-key=${callers.queryKey}&sig=${callers.querySig}&access_token=${callers.queryToken}&a=1`;

const requests: readonly RequestSpec[] = [
  // Successful and failed responses of each provider: complete, streamed, interrupted and late.
  ...['@env/m', '@file/m', '@literal/m', '@literal/n', '@entra/m'].flatMap((model) => [
    chat(model),
    chat(model, { stream: true }),
    chat(model, { stream: true, user: 'break' }),
    ...[400, 401, 403, 404, 429, 500, 503].map((status) => chat(model, { user: `status${status}` })),
  ]),
  chat('@env/m', { user: 'hang' }),
  chat('@env/m', { user: 'hang', stream: true }),
  { ...chat('m'), headers: { 'x-gateway-config': 'chain' } },
  { ...chat('m', { user: 'status500' }), headers: { 'x-gateway-config': 'chain' } },
  { path: '/v1/prompts/hello/completions', body: { variables: { q: 'x' } } },
  { path: '/v1/prompts/hello/render', body: { variables: { q: 'x' } } },
  // Relays, files and lists.
  ...['/v1/things', '/v1/files', '/v1/files/f/content', '/v1/models', '/v1/batches'].flatMap((path) =>
    ['200', '400', '401', '500'].map((status) => ({
      path: `${path}?${query}`,
      headers: { ...strays, 'x-gateway-provider': '@env', 'x-status': status },
    })),
  ),
  { path: '/v1/things', body: { a: 1 }, headers: { ...strays, 'x-gateway-provider': '@env' } },
  // Credentials of callers in unusual places.
  { ...chat('@env/m'), headers: strays },
  { ...chat('@env/m'), path: `/v1/chat/completions?${query}`, headers: strays },
  { path: `/v1/nothing/key=${callers.pathKey};api_key=${callers.pathKey}?${query}`, headers: strays },
  { path: `/nothing%3Fapi-key%3D${callers.pathKey}`, headers: strays },
  {
    ...chat('m'),
    headers: {
      'x-gateway-provider': 'openai',
      'x-gateway-custom-host': `https://user:${callers.userInfo}@host.example/v1?key=${callers.hostQuery}`,
      authorization: `Bearer ${callers.direct}`,
    },
  },
  inline({ provider: 'openai', api_key: callers.inConfig, custom_host: 'http://169.254.169.254/v1' }),
  inline({
    provider: 'openai',
    api_key: callers.inConfig,
    custom_host: `https://user:${callers.userInfo}@host.example/v1?key=${callers.hostQuery}`,
  }),
  inline(String.raw`{"provider":"openai","api\u005fkey":"${callers.escaped}","custom_host":"https://127.0.0.1"}`),
  inline({
    strategy: { mode: 'fallback' },
    targets: [{ targets: [{ provider: 'openai', api_key: callers.nested, custom_host: 'https://10.0.0.1/v1' }] }],
  }),
  inline({ provider: 'openai', api_key: callers.inConfig, api_keyy: callers.inConfig }),
  inline(`{"provider":"openai","api_key":"${callers.inConfig}"`),
  inline(Buffer.from(JSON.stringify({ provider: 'openai', api_key: callers.base64 })).toString('base64')),
  // Invalid keys and invalid bodies.
  { ...chat('@env/m'), headers: { 'x-gateway-api-key': callers.wrongKey } },
  { ...chat('@env/m'), headers: { 'x-gateway-api-key': '', authorization: `Bearer ${callers.wrongKey}` } },
  { ...chat('@env/m'), path: `/v1/chat/completions?${query}`, headers: { 'x-gateway-api-key': '', ...strays } },
  { path: '/v1/chat/completions', body: '{"model": "@env/m", "messages": [' },
  { ...chat('@open/m'), headers: { 'x-gateway-custom-host': 'https://evil.test/v1' } },
];

/** Failing reloads, each with a secret near the error. */
const edits: readonly ((url: string) => string)[] = [
  (url) => yaml(url).replace('version: 1', 'version: 7'),
  (url) => yaml(url).replace(`api_key: ${callerSecrets.literal}`, `api_keyy: ${callerSecrets.literal}`),
  (url) => yaml(url).replace(`api_key: ${callerSecrets.literal}`, `api_key: [${callerSecrets.literal}]`),
  (url) => yaml(url).replace(`api_key: ${callerSecrets.literal}`, `api_key: "${callerSecrets.literal}`),
  (url) => yaml(url).replace('mode: entra', 'mode: "${env:CANARY_SECRET}"'),
  (url) => yaml(url, `  bad: {hash: "\${env:CANARY_ENV}"}\n`),
  (url) =>
    yaml(url).replace(
      `custom_host: ${url}/openai\n    deployments`,
      `custom_host: https://user:${callerSecrets.address}@h.example/openai\n    deployments`,
    ),
  (url) => yaml(url).replace('timeouts: {first_byte: 400ms', 'timeouts: {first_byte: "${env:CANARY_ENV}"'),
];

describe.each(['json', 'pretty'] as const)('a gateway with the log format %s', (format) => {
  it('shows no secret in any output', async () => {
    wire ??= await startWire();
    wire.script = mirror();
    wire.requests.length = 0;
    const gateway = await start(format);
    for (const request of requests) await gateway.send(request);
    for (const edit of edits) {
      const before = gateway.running.out().length;
      writeFileSync(join(gateway.dir, 'gateway.yaml'), edit(wire.url));
      gateway.running.child.kill('SIGHUP');
      await until(() => /NOT reloaded|rejected|not reloaded/i.test(gateway.running.out().slice(before)), 'a rejected reload');
    }
    writeFileSync(join(gateway.dir, 'gateway.yaml'), yaml(wire.url, '# other\n'));
    const waiting = gateway.send(chat('@file/m', { user: 'hang' }));
    await until(() => wire.requests.at(-1)?.body.includes('hang'), 'the last request');
    gateway.running.child.kill('SIGTERM');
    await waiting;
    const { out, err } = await gateway.running.ended;

    const sinks = new Map([
      ...filesBelow(gateway.dir),
      ['answers', gateway.responses.map(({ text }) => text).join('\n')],
      ['stdout', out],
      ['stderr', err],
    ]);
    const isConfig = (name: string): boolean => name.endsWith('/gateway.yaml') || name.endsWith('/secrets/key.txt');
    const leaks: string[] = [];
    for (const [name, secret] of Object.entries({ ...callerSecrets, ...callers })) {
      for (const [sink, text] of sinks) {
        // What a caller sends in the path is in the response to that caller.
        if (name === 'pathKey' && sink === 'answers') continue;
        // The copy of the configuration equals the file, including secrets written in it.
        const isWritten = ['literal', 'deployment', 'misplaced', 'fallback'].includes(name) && sink.includes('last-good');
        if (!isConfig(sink) && !isWritten && encodingsOf(secret).some((encoded) => text.includes(encoded)))
          leaks.push(`${name} in ${sink.replace(gateway.dir, '')}`);
      }
    }
    expect(leaks).toEqual([]);
    expect([...sinks.keys()].filter((name) => /spool/.test(name)).length).toBeGreaterThan(0);
    // The responses contained the provider's credential, and the gateway detected it.
    expect(gateway.responses.filter(({ text }) => text.includes('*'.repeat(20))).length).toBeGreaterThan(40);

    const upstream = wire.requests.map(({ head, body }) => head + body).join('\n');
    const sentOn = Object.entries(callers).filter(([, secret]) => encodingsOf(secret).some((encoded) => upstream.includes(encoded)));
    expect(sentOn.map(([name]) => name)).toEqual([]);
  });
});

describe('the commands show no secret', () => {
  it.each([
    ['check', ['check']],
    ['check --format json', ['check', '--format', 'json']],
    ['check --format short', ['check', '--format', 'short']],
    ['providers list', ['providers', 'list']],
    ['providers list --json', ['providers', 'list', '--json']],
    ['providers show', ['providers', 'show', 'literal']],
    ['providers show --json', ['providers', 'show', 'literal', '--json']],
    ['providers show of a client secret', ['providers', 'show', 'entra']],
    ['providers test', ['providers', 'test']],
    ['config show', ['config', 'show']],
    ['config show --json', ['config', 'show', '--json']],
    ['fmt', ['fmt', '--check']],
    ['models', ['models']],
    ['models --json', ['models', '--json']],
    ['prompts list', ['prompts', 'list']],
    ['prompts show', ['prompts', 'show', 'hello']],
    ['keys list', ['keys', 'list']],
    ['start with an invalid file', ['start', '--listen', '127.0.0.1:0']],
  ])('in the output of: %s', async (name, args) => {
    wire ??= await startWire();
    wire.script = mirror();
    const isStart = name.startsWith('start');
    const texts = name.startsWith('check') || isStart ? edits : /^(?:config|fmt)/.test(name) ? [yaml, ...edits] : [yaml];
    for (const [n, text] of texts.entries()) {
      const dir = folder(text);
      // A process for each command; in this process, what other files make it print.
      const { out, err } = isStart || n === 0 ? await run(args, dir, env(dir)) : await runHere(args, dir, { env: env(dir) });
      expect(out + err).not.toBe('');
      for (const [label, secret] of Object.entries(callerSecrets))
        for (const encoded of encodingsOf(secret)) expect((out + err).includes(encoded), `${label}: ${out + err}`).toBe(false);
    }
  });
});

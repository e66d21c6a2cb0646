import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { createServer, request as requestHttp } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReloadPlan } from '../../src/cli/plan/routing.ts';
import { adminUrl } from '../admin/client.ts';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import { type RunResult, runHere } from './in-process.ts';

const plain = 'sk-written-in-the-file-0123456789';
const yaml = `version: 1
include: [configs/*.yaml]
providers:
  mock: {type: mock}
  spare: {type: mock}
  plain: {type: openai, api_key: ${plain}}
`;
const support = `configs:
  support: {targets: [{provider: mock, override_params: {temperature: 0.5}}]}
  draft: {targets: [{provider: mock}]}
`;

let gateway: TestGateway;
let env: Record<string, string>;

async function sendChat(config: string): Promise<void> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gateway-config': config },
    body: JSON.stringify({ model: 'echo', messages: [{ role: 'user', content: 'hi' }] }),
  });
  await response.text();
}

beforeAll(async () => {
  gateway = await startTestGateway(yaml, { admin: true, files: { 'configs/support.yaml': support } });
  env = { GATEWAY_ADMIN: adminUrl(gateway), GATEWAY_ADMIN_TOKEN: readFileSync(join(gateway.dir, '.gateway/admin-token'), 'utf8').trim() };
  for (const config of ['support', 'support', 'draft']) await sendChat(config);
  // It has no model.
  await (await fetch(`${gateway.url}/v1/files`, { headers: { 'x-gateway-provider': '@mock' } })).text();
  const countOfRecords = async (): Promise<number> =>
    (await runHere(['logs', 'search', '--json', 'status:200'], gateway.dir, { env })).out.split('\n').length;
  await until(async () => (await countOfRecords()) === 5, 'the records in the store');
});
afterAll(() => gateway.close());

/** A changed copy of the active configuration, in another folder and with another name. */
async function edited(name: string, change: (text: string) => string, configs: string): Promise<string> {
  const path = join(gateway.dir, name, 'new.yaml');
  await mkdir(join(dirname(path), 'configs'), { recursive: true });
  await writeFile(path, change(await readFile(gateway.file, 'utf8')));
  await writeFile(join(dirname(path), 'configs/support.yaml'), configs);
  return path;
}

const plan = (...args: string[]): Promise<RunResult> => runHere(['plan', ...args], gateway.dir, { env });

describe('gateway plan', () => {
  it('compares a file with the running configuration, and shows how recorded requests would be routed', async () => {
    const more = `${support.replace('support: {targets: [{provider: mock', 'support: {targets: [{provider: spare')}  extra: {targets: [{provider: mock}]}\n`;
    const path = await edited('moved', (text) => `${text.replace(plain, `${plain}-2`)}logging: {requests: {spool_size: 2GB}}\n`, more);
    const { code, out } = await plan('-c', path);
    expect(code).toBe(0);
    expect(out).toContain(`comparing ${path} with the running revision ${gateway.gateway.snapshot().revision}`);
    expect(out.split('\n').filter((line) => /^ {2}[~+!-]|^\+ {2}extra/.test(line))).toEqual([
      '  ~ providers.plain.api_key              (value changed, not shown)',
      '  ~ configs.support.targets[0].provider  mock → spare',
      '  + configs.extra                        {"targets":[{"provider":"mock"}]}',
      '  + logging.requests                     {"spool_size":"2GB"}',
      '  ! logging.requests.spool_size          needs a restart',
      '+  extra: {targets: [{provider: mock}]}',
    ]);
    expect(out).toMatch(/\n {6}2 {2}same first target\n {6}2 {2}mock\/echo → spare\/echo {3}\(all config support\)\n/);
    expect(out).toContain('2 changes, 2 additions, 0 removals. Applied when the file is saved. Restart needed for 1.');
    expect(out).not.toContain(plain);
    expect(gateway.gateway.snapshot().configs.has('extra')).toBe(false);
  });

  it('fails if the request log does not respond', async () => {
    const front = createServer((request, response) => {
      if (request.url === '/api/requests/read') {
        response.writeHead(503).end('{"error":{"code":"log_unavailable","message":"The request log did not respond in time."}}');
        return;
      }
      const { method, url, headers } = request;
      const { host: _, ...passed } = headers;
      const sent = requestHttp(env['GATEWAY_ADMIN'] ?? '', { method, path: url, headers: passed }, (incoming) => {
        response.writeHead(incoming.statusCode ?? 500, incoming.headers);
        incoming.pipe(response);
      });
      request.pipe(sent);
    });
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
    const { code, err } = await runHere(['plan'], gateway.dir, { env: { ...env, GATEWAY_ADMIN: address } });
    front.close();
    expect([code, err]).toEqual([1, 'error: The request log did not respond in time\n']);
  });

  it('reports the recorded requests that would be rejected', async () => {
    const path = await edited('rejected', (text) => text, support.replace(/ {2}draft.*\n/, ''));
    const { routing, values } = JSON.parse((await plan('-c', path, '--json')).out) as ReloadPlan;
    expect(values).toMatchObject([{ path: 'configs.draft', after: null }]);
    expect(routing).toMatchObject({ requests: 4, same: 3, moved: [], rejected: [{ code: 'config_not_found', requests: 1 }], unknown: 0 });
  });

  it.each<[string, string[], number, RegExp]>([
    ['no changes', ['--exit-code', '--sample', '0'], 0, /\nno changes\n$/],
    ['another file', ['--against', 'same', '--exit-code'], 0, /\nno changes\n$/],
    ['changes of another file', ['--against', 'other', '--exit-code'], 1, /\n\+ {2}draft.*\n[^]*\n0 changes, 1 addition, 0 removals\.\n$/],
    ['changes as markdown', ['--against', 'other', '--format', 'markdown'], 0, /^### gateway plan\n[^]*```diff\n--- /],
    [
      'a value with a code fence as markdown',
      ['-c', 'fenced', '--sample', '0', '--format', 'markdown'],
      0,
      /\n````diff\n--- [^]*\n\+.*```\n[^]*\n````\n\n/,
    ],
    ['an invalid file', ['-c', 'broken', '--exit-code'], 3, /^$/],
    ['another file that is invalid', ['--against', 'broken'], 3, /^$/],
    ['an unknown format', ['--format', 'html'], 2, /^$/],
    ['an invalid sample size', ['--sample', 'x'], 2, /^$/],
    ['standard input', ['-c', '-'], 2, /^$/],
    ['a missing file', ['-c', 'nowhere.yaml'], 3, /^$/],
  ])('handles %s', async (_, args, code, out) => {
    const texts: Record<string, string> = {
      same: support,
      other: support.replace(/ {2}draft.*\n/, ''),
      fenced: `${support}prompts:\n  p:\n    messages:\n      - role: user\n        content: |\n          \`\`\`\n          code\n          \`\`\`\n`,
      broken: support.replace('provider: mock', 'provider: mok'),
    };
    const paths = args.map(async (arg) => (texts[arg] === undefined ? arg : await edited(arg, (text) => text, texts[arg])));
    const result = await plan(...(await Promise.all(paths)));
    expect([result.code, result.out]).toEqual([code, expect.stringMatching(out)]);
    if (args.includes('broken')) expect(result.err).toMatch(/^error: nothing was compared, because a file is not valid\n.*mok/);
  });
});

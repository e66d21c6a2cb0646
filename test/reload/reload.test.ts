import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GatewayEvent } from '../../src/gateway/types.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions, until } from '../support/gateway.ts';
import { chunks, completion, json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { byRename, inPlace, Volume } from './edits.ts';
import { lifePlugin, lives } from './life.ts';

let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeEach(async () => {
  upstream = await startUpstream((response) => json(response, 200, completion('hi')));
});

afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

const start = async (yaml: string, options: TestGatewayOptions = {}): Promise<void> => {
  gateway = await startTestGateway(yaml, { watch: true, ...options });
};
const save = (text: string, name = 'gateway.yaml'): Promise<void> => byRename(join(gateway.dir, name), text);

function chat(model: string, more: object = {}): Promise<Response> {
  return fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'x' }], ...more }),
  });
}

/** The next event of a type after the current ones. */
async function next<T extends GatewayEvent['type']>(type: T, after: () => Promise<unknown>): Promise<GatewayEvent & { type: T }> {
  const from = gateway.events.length;
  await after();
  return until(
    () => gateway.events.slice(from).find((event): event is GatewayEvent & { type: T } => event.type === type),
    `a ${type} event`,
  );
}

const openai = (slug: string, more = ''): string =>
  `${slug}: {type: openai, api_key: sk-of-the-catalog, custom_host: "${upstream.url}/v1"${more}}`;

describe('reload', () => {
  it('does not interrupt a stream from a provider that it removes', async () => {
    const pendingResponses: ServerResponse[] = [];
    upstream.script = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunks('slow').slice(0, 2).join(''));
      pendingResponses.push(response);
    };
    const yaml = (providers: string): string =>
      `version: 1\nproviders: {${providers}}\nplugins: [auth, {use: ./life.ts}, routing, transform, fallback-retry]\n`;
    const before = lives().length;
    await start(yaml(`${openai('gone')}, ${openai('kept')}`), { files: { 'life.ts': lifePlugin } });
    const { revision } = gateway.gateway.snapshot();
    const stream = await chat('@gone/m', { stream: true });
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
    let text = Buffer.from((await reader.read()).value ?? []).toString();
    const reloaded = await next('reloaded', () => save(yaml(openai('kept'))));
    expect(reloaded.changes).toEqual(['-providers.gone']);
    expect((await chat('@gone/m')).status).toBe(404);
    // The replaced configuration lives as long as its last request.
    expect(lives().slice(before)).toEqual([{ disposed: 0 }, { disposed: 0 }]);
    pendingResponses[0]?.end(chunks('slow').slice(2).join(''));
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += Buffer.from(part.value).toString();
    expect(text).toBe(chunks('slow').join(''));
    expect(await gateway.record(stream.headers.get('x-request-id'))).toMatchObject({ revision, provider: 'gone', end: 'whole' });
    await until(() => lives()[before]?.disposed === 1, 'the old plugins to be disposed');
    expect(lives()[before + 1]).toEqual({ disposed: 0 });
  });

  it.each(['in its place', 'by a swap of its volume'])(
    'applies a secret that is rotated %s, without an edit of the YAML',
    async (method) => {
      const volumes: Volume[] = [];
      const yaml = `version: 1\nproviders: {main: {type: openai, api_key: "\${file:secrets/key}", custom_host: "${upstream.url}/v1"}}\n`;
      await start(yaml, {
        prepare: async (dir) => {
          const volume = new Volume(join(dir, 'secrets'));
          await volume.create({ key: 'sk-before\n' });
          volumes.push(volume);
        },
      });
      await (await chat('@main/m')).text();
      const rotate = async (): Promise<void> => {
        if (method === 'in its place') await inPlace(join(gateway.dir, 'secrets/key'), 'sk-after\n');
        else await volumes[0]?.swap({ key: 'sk-after\n' });
      };
      const { changes } = await next('reloaded', rotate);
      expect(changes).toEqual(['~providers.main']);
      await (await chat('@main/m')).text();
      expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer sk-before', 'Bearer sk-after']);
      expect(JSON.stringify(gateway.events)).not.toMatch(/sk-(?:before|after)/);
    },
  );

  it('masks an old secret that was rotated during a request', async () => {
    const pendingResponses: ServerResponse[] = [];
    upstream.script = (response) => void pendingResponses.push(response);
    const yaml = `version: 1\nproviders: {main: {type: openai, api_key: "\${file:key}", custom_host: "${upstream.url}/v1"}}\n`;
    await start(yaml, { files: { key: 'sk-that-is-old' } });
    const pending = chat('@main/m');
    await until(() => pendingResponses.length === 1, 'the request to arrive');
    for (const key of ['sk-in-between', 'sk-that-is-new']) await next('reloaded', () => save(key, 'key'));
    expect(gateway.gateway.mask.text('of sk-that-is-old and sk-that-is-new')).not.toMatch(/sk-that/);
    json(pendingResponses[0] as ServerResponse, 400, { error: { message: 'the key sk-that-is-old is of no use' } });
    const response = await pending;
    const text = await response.text();
    const record = await gateway.record(response.headers.get('x-request-id'));
    const spooled = await readFile(
      join(gateway.dir, '.gateway/spool', (await readdir(join(gateway.dir, '.gateway/spool'))).sort()[0] ?? ''),
      'latin1',
    );
    expect(spooled).toContain(record.id);
    for (const output of [text, spooled]) expect(output).not.toContain('sk-that-is-old');
  });

  it('applies files that appear and disappear under an include pattern', async () => {
    await start('version: 1\ninclude: [configs/*.yaml]\nproviders: {mock: {type: mock}}\n', {
      files: { 'configs/one.yaml': 'configs: {one: {targets: [mock/echo]}}\n' },
    });
    const event = await next('reloaded', () => save('configs: {two: {targets: [mock/echo]}}\n', 'configs/two.yaml'));
    expect(event.changes).toEqual(['+configs.two']);
    const went = await next('reloaded', () => rm(join(gateway.dir, 'configs/one.yaml')));
    expect(went.changes).toEqual(['-configs.one']);
  });

  it('applies what it can and reports the settings that need a restart', async () => {
    await start('version: 1\nserver: {listen: "127.0.0.1:0"}\nproviders: {mock: {type: mock}}\n', { listen: undefined });
    const edited = 'version: 1\nserver: {listen: "127.0.0.1:9", max_body: 1KB}\nproviders: {mock: {type: mock}}\n';
    expect(await next('reloaded', () => save(edited))).toMatchObject({ changes: ['+server.max_body'], restart: ['server.listen'] });
    expect((await chat('@mock/echo')).status).toBe(200);
    expect((await chat('@mock/echo', { user: 'x'.repeat(2000) })).status).toBe(413);
    // A restart is needed until the setting has its initial value again.
    const further = await next('reloaded', () => save(edited.replace('1KB', '2KB')));
    expect(further).toMatchObject({ changes: ['~server.max_body'], restart: ['server.listen'] });
    expect(await next('reloaded', () => save(edited.replace(':9"', ':0"')))).toMatchObject({ changes: ['~server.max_body'], restart: [] });
  });

  it('reports an invalid edit once, keeps the configuration, and reports the recovery', async () => {
    const validConfig = 'version: 1\nproviders: {mock: {type: mock}}\n';
    await start(validConfig);
    const { revision } = gateway.gateway.snapshot();
    const bad = await next('rejected', () => save('version: 1\nproviderz: {mock: {type: mock}}\n'));
    expect(bad).toMatchObject({
      revision,
      diagnostics: expect.arrayContaining([expect.objectContaining({ code: 'unknown-key', line: 2, column: 1 })]) as unknown,
    });
    expect((await chat('@mock/echo')).status).toBe(200);
    // Another invalid edit with the same problem is not reported, so the next event is the recovery.
    await save('# the same\nversion: 1\nproviderz: {mock: {type: mock}}\n');
    expect(await next('unchanged', () => save(validConfig))).toEqual({ type: 'unchanged', revision, recovered: true });
  });

  it('rejects removing the last key if the gateway listens on a public address, even if the file names another', async () => {
    const keys = `api_keys: {app: {hash: "sha256:${'ab'.repeat(32)}"}}\n`;
    const yaml = (address: string): string =>
      `version: 1\nserver: {listen: "${address}", state_dir: memory}\nproviders: {mock: {type: mock}}\n`;
    await start(yaml('0.0.0.0:0') + keys, { listen: undefined });
    await next('reloaded', () => save(`${yaml('127.0.0.1:0')}${keys}configs: {a: {targets: [mock/echo]}}\n`));
    const rejection = await next('rejected', () => save(yaml('127.0.0.1:0')));
    expect(rejection.reason).toContain('0.0.0.0:0 is reachable from other hosts');
    expect((await fetch(`${gateway.url.replace('0.0.0.0', '127.0.0.1')}/v1/models`)).status).toBe(401);
  });

  it('rejects a file that was cut off before its providers', async () => {
    await start('version: 1\nserver: {state_dir: memory}\nproviders: {mock: {type: mock}}\n');
    const rejection = await next('rejected', () => save('version: 1\nserver: {state_dir: memory}\n'));
    expect(rejection.reason).toContain('the new configuration removes the last provider');
    expect((await chat('@mock/echo')).status).toBe(200);
  });

  it('reports new warnings once, such as an include that matches nothing any more', async () => {
    const main = 'version: 1\ninclude: [parts/*.yaml]\nproviders: {mock: {type: mock}}\n';
    await start('version: 1\nproviders: {mock: {type: mock}}\n');
    await mkdir(join(gateway.dir, 'parts'));
    await writeFile(join(gateway.dir, 'parts/a.yaml'), 'configs: {a: {targets: [mock/echo]}}\n');
    expect(await next('reloaded', () => save(main))).toMatchObject({ changes: ['+configs.a'], warnings: [] });
    const emptied = await next('reloaded', () => rm(join(gateway.dir, 'parts/a.yaml')));
    expect(emptied).toMatchObject({ changes: ['-configs.a'], warnings: [{ code: 'no-match' }] });
    const later = await next('reloaded', () => save(`${main}configs: {b: {targets: [mock/echo]}}\n`));
    expect(later).toMatchObject({ changes: ['+configs.b'], warnings: [] });
  });

  it('can be requested even if files are not watched', async () => {
    await start('version: 1\nproviders: {mock: {type: mock}}\n', { watch: false });
    expect(await gateway.gateway.reload()).toMatchObject({ type: 'unchanged', recovered: false });
    await writeFile(gateway.file, 'version: 1\nproviders: {mock: {type: mock}, other: {type: mock}}\n');
    expect(await gateway.gateway.reload()).toMatchObject({ type: 'reloaded', changes: ['+providers.other'] });
    expect(gateway.gateway.checkedMs).toEqual(expect.any(Number));
  });

  it('in progress when the gateway stops is applied, and not reported as a failure', async () => {
    const slowPlugin = `import { existsSync, writeFileSync } from 'node:fs';
export default { name: 'slow', options: {}, setup: async ({ dir }) => {
  if (dir !== undefined) writeFileSync(dir + '/began', '');
  while (dir !== undefined && !existsSync(dir + '/go')) await new Promise((resolve) => setTimeout(resolve, 5));
  return {};
} };`;
    const yaml = (options: string): string =>
      `version: 1\nproviders: {${openai('main')}}\nplugins: [auth, {use: ./slow.mjs${options}}, routing, transform]\n`;
    await start(yaml(''), { watch: false, files: { 'slow.mjs': slowPlugin } });
    await save(yaml(`, options: {dir: ${JSON.stringify(gateway.dir)}}`));
    const reload = gateway.gateway.reload();
    await until(() => existsSync(join(gateway.dir, 'began')), 'the set-up');
    const closing = gateway.gateway.close();
    // The other parts would be closed by now, if they were closed first.
    await new Promise((resolve) => setTimeout(resolve, 200));
    await writeFile(join(gateway.dir, 'go'), '');
    expect(await reload).toMatchObject({ type: 'reloaded' });
    await closing;
    expect(gateway.events.filter(({ type }) => type === 'rejected')).toEqual([]);
  });
});

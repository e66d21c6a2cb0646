import { spawn, spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { providers } from '../../plugins/index.ts';
import { errorCatalogue } from '../../src/core/error.ts';
import { canonicalPrefix, requestHeaders, responseHeaders } from '../../src/core/http/headers.ts';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openOwners } from '../../src/store/object-owners.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { skipping } from '../support/skipping.ts';
import { projectFiles, readProjectFile, root } from './tree.ts';

const pages = projectFiles().filter((file) => /^(?:README|SECURITY)\.md$|^docs\/.*\.md$/.test(file));

describe('names in the documentation', () => {
  const knownNames = new Set([
    ...Object.values(requestHeaders).flat(),
    ...Object.values(responseHeaders).map((header) => header.slice(canonicalPrefix.length)),
    ...providers.flatMap((provider) => provider.entry.requestSettings.flatMap(({ headers }) => headers)),
  ]);

  /** An example of a misspelling, and the header of the admin API. */
  const others = new Set(['confg', 'admin']);

  it('that look like gateway headers exist', () => {
    const mentioned = pages.flatMap((page) =>
      [...readProjectFile(page).matchAll(/\bx-gateway-([a-z][a-z-]*[a-z])/g)].map((match) => ({ page, header: match[1] ?? '' })),
    );
    expect(mentioned.length).toBeGreaterThan(100);
    expect(mentioned.filter(({ header }) => !knownNames.has(header) && !others.has(header))).toEqual([]);
  });

  it('that look like error codes exist', () => {
    const mentioned = pages.flatMap((page) =>
      [...readProjectFile(page).matchAll(/\b(4\d\d|5\d\d) `([a-z]+(?:_[a-z]+)+)`/g)].map((match) => ({
        page,
        status: match[1],
        code: match[2] ?? '',
      })),
    );
    expect(mentioned.length).toBeGreaterThan(10);
    expect(mentioned.filter(({ code }) => !Object.hasOwn(errorCatalogue, code))).toEqual([]);
  });
});

describe('the backup in upgrade.md', () => {
  const missing = spawnSync('sqlite3', ['--version']).error && 'sqlite3 is not installed: the backup command is not run';

  it.skipIf(skipping(missing))('contains the owners that a running gateway has just stored', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'backup-'));
    const owners = openOwners(join(folder, 'objects.db'));
    owners.bind('account', ['file-1'], 'app-web', false);
    const command = /^(?:sqlite3|cp) .*objects\.db.*$/m.exec(readProjectFile('docs/upgrade.md'))?.[0] ?? '';
    const { code } = await run(command.replace('/var/lib/gateway', folder).replace('/backup/objects.db', join(folder, 'copy.db')));
    expect(code).toBe(0);
    const copy = openOwners(join(folder, 'copy.db'));
    expect(copy.ownerOf('account', 'file-1')).toBe('app-web');
    copy.close();
    owners.close();
    await rm(folder, { recursive: true });
  });
});

describe('environment variables', () => {
  /** Variables of the terminal. */
  const others = new Set(['TERM']);

  it('that the gateway reads are documented', () => {
    const sources = projectFiles().filter((file) => /^(?:src|plugins)\/.*\.ts$/.test(file) && !file.endsWith('.test.ts'));
    const read = sources.flatMap((file) =>
      [...readProjectFile(file).matchAll(/\b(?:env(?:\['|\.)|env: '|named: ')([A-Z][A-Z0-9_]{2,})/g)].map((match) => match[1] ?? ''),
    );
    const text = pages.map(readProjectFile).join('\n');
    expect(read).toEqual(expect.arrayContaining(['GATEWAY_CONFIG', 'AWS_ROLE_ARN']));
    expect([...new Set(read)].filter((name) => !others.has(name) && !text.includes(name))).toEqual([]);
  });
});

describe('curl commands in the documentation', () => {
  const blocks = ['README.md', 'docs/quickstart.md', 'docs/messages.md', 'docs/prompts.md', 'docs/responses.md', 'docs/routes.md'].flatMap(
    (page) =>
      [...readProjectFile(page).matchAll(/^```(?:sh|bash)\n([\s\S]*?)^```$/gm)]
        .map((match) => match[1] ?? '')
        .filter((text) => text.startsWith('curl ') && !text.includes('$'))
        .map((text) => [page, text] as const),
  );
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway(readProjectFile('gateway.yaml'), {
      prepare: async (dir) => {
        await mkdir(join(dir, 'configs'));
        await cp(join(root, 'configs'), join(dir, 'configs'), { recursive: true });
      },
    });
  });
  afterAll(() => gateway.close());

  it('are found on six pages', () => expect(new Set(blocks.map(([page]) => page)).size).toBe(6));

  it.each(blocks)('work with the shipped configuration (%s): %s', async (_page, text) => {
    const { code, out } = await run(text.replaceAll('http://127.0.0.1:8787', gateway.url));
    expect(code).toBe(0);
    expect(out).not.toMatch(/"error":\{/);
    expect(out).toMatch(/"object":|"type":"message"|"feedback_ids":|^data: /m);
  });
});

function run(command: string): Promise<{ code: number | null; out: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', command], { stdio: ['ignore', 'pipe', 'ignore'] });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out }));
  });
}

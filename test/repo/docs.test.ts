import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { providers, stages } from '../../plugins/index.ts';
import { loadConfig } from '../../src/config/reload/load.ts';
import { projectFiles, readProjectFile, root } from './tree.ts';

const pages = projectFiles().filter((file) => /^[^/]+\.md$|^docs\/.*\.md$|^plugins\/.*\.md$/.test(file));

interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly text: string;
}

function blocksOf(page: string): Block[] {
  const text = readProjectFile(page);
  return [...text.matchAll(/^```(\w*)[^\n]*\n([\s\S]*?)^```$/gm)].map((match) => ({
    page,
    line: text.slice(0, match.index).split('\n').length,
    language: match[1] ?? '',
    text: match[2] ?? '',
  }));
}

const blocks = pages.flatMap(blocksOf);

/** Diagnostics that depend on the machine: included files, and folders of sockets. */
const elsewhere = new Set(['no-match', 'unusable-path']);

/** Examples are short and may lack recommended keys. */
const isMinor = ({ severity, code }: { severity: string; code: string }): boolean => severity === 'warning' && code === 'missing-key';

/** Sets every variable that the pages use. */
const env = Object.fromEntries(
  [...blocks.map((block) => block.text), readProjectFile('bench/gateway.yaml')]
    .flatMap((text) => [...text.matchAll(/\$\{env:([A-Z0-9_]+)/g)].map((match) => match[1] ?? ''))
    .map((name) => [name, 'a-value-for-the-example']),
);
const check = (source: { path: string } | { text: string; name: string }) =>
  loadConfig({
    source,
    cwd: root,
    env: {
      ...env,
      BENCH_LOG_LEVEL: 'info',
      BENCH_UPSTREAM: 'http://127.0.0.1:9100/v1',
      BENCH_TLS_UPSTREAM: 'https://127.0.0.1:9100/v1',
      BENCH_KEY_HASH: `sha256:${'0'.repeat(64)}`,
      FILE: 'content of a file',
      ACCOUNT: JSON.stringify({ type: 'service_account', project_id: 'acme-ml', client_email: 'a@b.example', private_key: 'key' }),
    },
    providers,
    plugins: stages,
    importPlugin: async (path) =>
      path.endsWith('/acme.ts')
        ? import('../../configs/examples/own-provider/acme.ts')
        : { default: { name: 'example', options: { type: 'object' }, setup: () => ({}) } },
  });

/** A block as a complete file: adds the first line, and completes abbreviated hashes and files. */
function asFile(text: string): string {
  const yaml = /^version:/m.test(text) ? text : `version: 1\n${text}`;
  return yaml
    .replaceAll(/(service_account: )\$\{file:[^}]+\}/g, '$1${env:ACCOUNT}')
    .replaceAll(/\$\{file:[^}]+\}/g, '${env:FILE}')
    .replaceAll(/sha256:[0-9a-f]*…/g, `sha256:${'0'.repeat(64)}`);
}

/** The anchors that GitHub generates for the headings of a page. */
function anchorsOf(page: string): ReadonlySet<string> {
  const prose = readProjectFile(page).replaceAll(/^```[\s\S]*?^```$/gm, '');
  return new Set(
    [...prose.matchAll(/^#+ (.+)$/gm)].map((match) =>
      (match[1] ?? '')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

describe('the documentation', () => {
  const yaml = blocks.filter((block) => block.language === 'yaml');

  it('contains pages and examples', () => {
    expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/concepts.md', 'docs/providers.md']));
    expect(yaml.length).toBeGreaterThan(6);
  });

  it.each(yaml.map((block) => [`${block.page}:${block.line}`, block.text]))(
    'has a YAML example at %s that gateway check accepts',
    async (name, text) => {
      const { diagnostics } = await check({ text: asFile(text), name });
      // A part of a file may refer to other parts.
      const part = !/^version:/m.test(text);
      // Complete examples, which readers copy, have no warnings.
      const errors = diagnostics.filter(
        (entry) => !(part && entry.severity === 'warning') && !isMinor(entry) && !elsewhere.has(entry.code),
      );
      expect(errors.filter((entry) => !(part && entry.code === 'unknown-reference'))).toEqual([]);
    },
  );

  it('has valid JSON examples', () => {
    for (const block of blocks.filter((entry) => entry.language === 'json')) expect(() => JSON.parse(block.text)).not.toThrow();
  });

  it('writes a strategy in sentences as the mapping that the gateway accepts', () => {
    const written = pages.flatMap((page) => [...readProjectFile(page).matchAll(/`strategy: [^`]*`/g)].map(([code]) => `${page}: ${code}`));
    expect(written.length).toBeGreaterThan(3);
    expect(written.filter((code) => !code.includes('`strategy: {mode: '))).toEqual([]);
  });

  it('links only to existing files', () => {
    const broken = pages.flatMap((page) => {
      const links = [...readProjectFile(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map((match) => match[1] ?? '');
      return links.filter((link) => !existsSync(join(root, dirname(page), link))).map((link) => `${page}: ${link}`);
    });
    expect(broken).toEqual([]);
  });

  it('links only to existing headings', () => {
    const links = pages.flatMap((page) =>
      [...readProjectFile(page).matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)].map((match) => ({
        page,
        target: match[1] === '' ? page : join(dirname(page), match[1] ?? ''),
        anchor: match[2] ?? '',
      })),
    );
    expect(links.length).toBeGreaterThan(20);
    expect(links.filter(({ target, anchor }) => target.endsWith('.md') && !anchorsOf(target).has(anchor))).toEqual([]);
  });

  it('names only existing source files and folders', () => {
    const files = projectFiles();
    const exists = (path: string): boolean => files.some((file) => `/${file}`.endsWith(`/${path}`) || file.startsWith(`${path}/`));
    const named = files
      .filter((file) => file.endsWith('.md'))
      .flatMap((page) =>
        [
          ...readProjectFile(page).matchAll(/`(?:\.\.\/)*((?:(?:src|plugins|test|bench|\.ci)\/[\w./-]*\w|[\w./-]+\.(?:ts|tsx|mjs)))\/?`/g),
        ].map((match) => ({
          page,
          path: match[1] ?? '',
        })),
      );
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(({ path }) => !exists(path))).toEqual([]);
  });

  it('names only existing npm scripts', () => {
    const { scripts } = JSON.parse(readProjectFile('package.json')) as { scripts: Record<string, string> };
    const mentioned = pages.flatMap((page) =>
      [...readProjectFile(page).matchAll(/npm run (?:--silent )?([a-z:-]+)/g)].map((match) => match[1] ?? ''),
    );
    expect([...new Set(mentioned)].filter((name) => scripts[name] === undefined)).toEqual([]);
  });
});

describe('shipped configuration', () => {
  it.each(['gateway.yaml', 'bench/gateway.yaml'])('%s has no problems', async (path) => {
    const { diagnostics, tree } = await check({ path: join(root, path) });
    expect(diagnostics.filter((entry) => path === 'gateway.yaml' || entry.severity === 'error')).toEqual([]);
    expect(tree).toBeDefined();
  });

  it('has one named config or prompt per file, with the name of the file', async () => {
    const { tree, files } = await check({ path: join(root, 'gateway.yaml') });
    const included = files.slice(1).map((file) => file.replace(/^.*\/(.+)\.yaml$/, '$1'));
    expect(Object.keys({ ...tree?.configs, ...tree?.prompts }).sort()).toEqual(included.sort());
    expect(included.length).toBeGreaterThan(1);
  });
});

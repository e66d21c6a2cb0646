import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { importProblem } from './import-problems.ts';
import { closedToPlugins, ruledFolders, wrappers } from './import-rules.ts';
import { type Import, importsOf, packageOf, projectFiles, readProjectFile, root, within } from './tree.ts';

const sources = projectFiles().filter((file) => /\.tsx?$/.test(file) && ruledFolders.some((folder) => within(file, folder)));
const code = sources.filter((file) => !file.endsWith('.test.ts'));
const imports = code.flatMap((file) => importsOf(file, readProjectFile(file)));

describe('imports', () => {
  it('are found, with each library in its wrapper', () => {
    expect(code.length).toBeGreaterThan(20);
    expect(imports.length).toBeGreaterThan(code.length);
    const seen = new Set(imports.filter((entry) => !entry.isOwn).map((entry) => packageOf(entry.target)));
    expect(Object.keys(wrappers).filter((library) => !seen.has(library))).toEqual([]);
  });

  it('refer to existing files', () => {
    const files = new Set(projectFiles());
    expect(
      imports.filter((entry) => entry.isOwn && !files.has(entry.target)).map(({ file, specifier }) => `${file}: ${specifier}`),
    ).toEqual([]);
  });

  it('follow the import rules between folders', () => {
    expect(imports.map(importProblem).filter((problem) => problem !== undefined)).toEqual([]);
  });

  it('form no cycle, except for type imports', () => {
    expect(cycles(imports)).toEqual([]);
  });

  it('plugins use no clock, randomness, environment or network', () => {
    const closed = new RegExp(
      String.raw`\b(Date\.now\(|new Date\(\)|Math\.random\(|process\.|${closedToPlugins.globals.slice(1).join('\\(|')}\()`,
    );
    const found = code.filter((file) => within(file, 'plugins') && file !== 'plugins/index.ts' && closed.test(withoutComments(file)));
    expect(found).toEqual([]);
  });
});

const withoutComments = (file: string): string => readProjectFile(file).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');

/** Cycles of the import graph as `a → b → a`, each reported once. */
function cycles(edges: readonly Import[]): string[] {
  const next = Map.groupBy(
    edges.filter((edge) => edge.isOwn && !edge.typeOnly),
    (edge) => edge.file,
  );
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    const seen = trail.indexOf(file);
    if (seen >= 0) found.push([...trail.slice(seen), file].join(' → '));
    if (seen >= 0 || done.has(file)) return;
    for (const edge of next.get(file) ?? []) visit(edge.target, [...trail, file]);
    done.add(file);
  };
  for (const file of next.keys()) visit(file, []);
  return found;
}

/** Imports that both the test above and the linter must reject. */
const forbidden = [
  { file: 'src/core/x.ts', specifier: '../config/load.ts' },
  { file: 'src/core/x.ts', specifier: 'undici' },
  { file: 'src/config/check/x.ts', specifier: '../../transport/server.ts' },
  { file: 'src/config/reload/load.ts', specifier: '../../plugins/index.ts' },
  { file: 'src/store/x.ts', specifier: '../config/load.ts' },
  { file: 'src/pipeline/x.ts', specifier: '../transport/upstream.ts' },
  { file: 'src/transport/inbound/server.ts', specifier: '../../pipeline/chain.ts' },
  { file: 'src/transport/inbound/x.ts', specifier: '../outbound/egress/egress.ts' },
  { file: 'src/transport/outbound/x.ts', specifier: '../inbound/arrival.ts' },
  { file: 'src/transport/outbound/upstream.ts', specifier: 'jose' },
  { file: 'src/cli/x.ts', specifier: 'pino' },
  { file: 'src/gateway/start.ts', specifier: 'yaml' },
  { file: 'plugins/auth/x.ts', specifier: '../routing/index.ts' },
  { file: 'plugins/auth/x.ts', specifier: '../../src/core/plan.ts' },
  { file: 'plugins/auth/x.ts', specifier: 'node:fs' },
  { file: 'plugins/providers/mock/x.ts', specifier: '../openai/index.ts' },
  { file: 'plugins/providers/mock/x.ts', specifier: 'node:http' },
  { file: 'plugins/providers/mock/x.ts', specifier: '../../../src/transport/outbound/upstream.ts' },
] as const;

const permitted = [
  { file: 'src/config/check/x.ts', specifier: '../../core/plan.ts' },
  { file: 'src/config/read/yaml/parse.ts', specifier: 'yaml' },
  { file: 'src/transport/inbound/x.ts', specifier: '../wire/sweeper.ts' },
  { file: 'src/transport/outbound/upstream.ts', specifier: 'undici' },
  { file: 'plugins/auth/x.ts', specifier: '#core/plugin.ts' },
  { file: 'plugins/providers/mock/x.ts', specifier: '../_shared/chat.ts' },
] as const;

describe('import rules of the test', () => {
  it.each(forbidden.filter((row) => !row.specifier.includes('../src/core')))('reject $file → $specifier', ({ file, specifier }) => {
    expect(importsOf(file, `import { x } from '${specifier}';\n`).map(importProblem)).toEqual([expect.any(String)]);
    expect(importsOf(file, `export const x = () => import('${specifier}');\n`).map(importProblem)).toEqual([expect.any(String)]);
  });

  it.each(permitted)('accept $file → $specifier', ({ file, specifier }) => {
    expect(importsOf(file, `import {\n  type A,\n  b,\n} from '${specifier}';\n`).map(importProblem)).toEqual([undefined]);
  });
});

/** A copy of the repository layout for the linter, so that no forbidden file is written into the real tree. */
const copy = mkdtempSync(join(tmpdir(), 'gateway-lint-'));
afterAll(() => rmSync(copy, { recursive: true, force: true }));

describe('import rules of the linter', () => {
  it('reject each forbidden import, accept the permitted ones, and cover every file', () => {
    for (const file of ['oxlint.config.ts', 'test/repo/import-rules.ts', 'tsconfig.json', 'package.json'])
      cpSync(join(root, file), join(copy, file));
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    const write = (folder: string, row: { readonly file: string; readonly specifier: string }, n: number): string => {
      // Same folder and depth as in the table; a wrapper keeps its name, because the rule depends on it.
      const path = row.file.endsWith('/x.ts') ? row.file.replace('x.ts', `${folder}${n}.ts`) : row.file;
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      writeFileSync(join(copy, path), `import { x } from '${row.specifier}';\nexport const y${n} = x;\n`);
      return path;
    };
    const good = permitted.map((row, n) => write('good', row, n));
    expect(lint()).toEqual({ checkedCount: good.length + 2, files: [] });
    const bad = forbidden.map((row, n) => write('bad', row, n));
    expect(lint().files).toEqual([...new Set(bad)].sort());
  });

  function lint(): { checkedCount: number; files: string[] } {
    const run = spawnSync(join(root, 'node_modules/.bin/oxlint'), ['--format', 'json'], { cwd: copy, encoding: 'utf8' });
    const report = JSON.parse(run.stdout) as { diagnostics: { code: string; filename: string }[]; number_of_files: number };
    const restricted = report.diagnostics.filter((entry) => entry.code === 'eslint(no-restricted-imports)');
    return { checkedCount: report.number_of_files, files: [...new Set(restricted.map((entry) => entry.filename))].sort() };
  }
});

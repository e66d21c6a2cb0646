import { expect, it } from 'vitest';
import type { MapNode } from '../read/node.ts';
import { parse, sourceFile } from '../read/yaml/parse.ts';
import type { Problem } from '../report/problem.ts';
import type { CheckContext } from './context.ts';
import { createStoreRule } from './store.ts';

function problemsOf(store: string, packages: readonly string[]): Problem[] {
  const text = `version: 1\nlogging:\n  requests:\n    store: ${store}\n`;
  const source = sourceFile('/gateway.yaml', 'gateway.yaml', text);
  const problems: Problem[] = [];
  const report = (problem: Problem): void => void problems.push(problem);
  const { root } = parse(source.file, source.text, report, () => {});
  createStoreRule((name) => packages.includes(name))({ root: root as MapNode, report } as unknown as CheckContext);
  return problems;
}

it('warns that a package is missing and names the line of the store', () => {
  const [problem, ...more] = problemsOf('postgres://gateway@db/log', []);
  expect(more).toEqual([]);
  expect(problem).toMatchObject({ severity: 'warning', hint: 'npm install pg', show: 'none', at: { line: 4, column: 12 } });
});

it.each([
  'postgres://gateway:p/w@db/log',
  'postgres://gateway:p@ss/w@db/log',
  'postgres://gateway:1/w@db/log',
  'postgres://gateway:1?w@db/log',
  'postgres://gateway:1#w@db/log',
  'postgres://db:port/log',
])('rejects the invalid URL %s', (store) => {
  expect(problemsOf(JSON.stringify(store), ['pg'])).toMatchObject([{ code: 'bad-url', show: 'none' }]);
});

it.each([
  ['postgresql://db/log', ['pg']],
  ['postgres://gateway:${env:PW}@db/log', ['pg']],
  ['postgres:///logs?host=/var/run/postgresql&user=me@site', ['pg']],
  ['postgres://db/log?user=me@site', ['pg']],
  ['sqlite', []],
])('accepts %s if the packages %j are installed', (store, packages) => {
  expect(problemsOf(store, packages)).toEqual([]);
});

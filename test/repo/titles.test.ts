import { expect, it } from 'vitest';
import { projectFiles, readProjectFile } from './tree.ts';

/** A title that begins with the name of a function or class. Only names with an inner capital are told from words. */
const named = /(?:\b(?:it|test|describe)|[)\]])\(\s*(['"`])([A-Za-z]+[a-z\d][A-Z]\w*)(?:\(\)|\1| )/g;

const namesIn = (text: string): string[] => Array.from(text.matchAll(named), ([, , name]) => name ?? '');

const isTest = (file: string): boolean => file.endsWith('.test.ts');

it.each([
  ["describe('addOne', () => {", ['addOne']],
  ["])('addOne() adds %s', () => {", ['addOne']],
  ["it('adds one to addOne', () => {", []],
  ["it('Anthropic is a word', () => {", []],
])('titles are read from %s', (text, expected) => expect(namesIn(text)).toEqual(expected));

it('titles of tests name functions and classes that exist', () => {
  const files = projectFiles().filter((file) => /\.(?:ts|tsx|mjs|go)$/.test(file));
  const words = new Set(files.filter((file) => !isTest(file)).flatMap((file) => readProjectFile(file).match(/\w+/g) ?? []));
  const tests = files.filter(isTest).map((file) => ({ file, text: readProjectFile(file) }));
  const unknown = tests.flatMap(({ file, text }) =>
    namesIn(text).flatMap((name) =>
      words.has(name) || (text.match(new RegExp(`\\b${name}\\b`, 'g')) ?? []).length > 1 ? [] : [`${file}: ${name}`],
    ),
  );
  expect(tests.length).toBeGreaterThan(400);
  expect(unknown).toEqual([]);
});

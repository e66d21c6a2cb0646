import { expect, it } from 'vitest';
import { parse, sourceFile } from './parse.ts';

it.each([
  ['lists', 'a: ', '[', ']'],
  ['mappings', 'a: ', '{a: ', '}'],
])('reports once that %s are nested too deep, however deep', (_name, before, open, close) => {
  for (const depth of [200, 20_000]) {
    const { file, text } = sourceFile('', 'a.yaml', `${before}${open.repeat(depth)}1${close.repeat(depth)}\n`);
    const messages: string[] = [];
    const parsed = parse(
      file,
      text,
      ({ message }) => void messages.push(message),
      () => undefined,
    );
    expect({ messages, ...parsed }).toEqual({ messages: ['nested deeper than 100 levels'], root: undefined, broken: true });
  }
});

it('reports aliases that double the values of each other, long before they take seconds to check', () => {
  const lines = Array.from({ length: 15 }, (_, i) => `  a${i + 1}: &a${i + 1} {targets: [*a${i}, *a${i}]}`);
  const { file, text } = sourceFile('', 'a.yaml', `configs:\n  a0: &a0 mock/echo\n${lines.join('\n')}\n`);
  const messages: string[] = [];
  parse(
    file,
    text,
    ({ message }) => void messages.push(message),
    () => undefined,
  );
  expect(messages).toEqual(['the aliases expand to more than 100000 values']);
});

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

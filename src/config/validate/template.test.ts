import { expect, it } from 'vitest';
import { parseTemplate } from './template.ts';

it.each([
  ['a short name', 'name'],
  ['a name of other characters', 'a.*[b'],
  ['a name too long for a regular expression', 'n'.repeat(300_000)],
])('reports where a section that is not closed begins: %s', (_what, name) => {
  const text = `{{#${name}x}}{{/${name}x}} {{^ ${name} }} hello`;
  expect(() => parseTemplate(text)).toThrow(expect.objectContaining({ index: text.indexOf('{{^') }) as Error);
});

import { expect, it } from 'vitest';
import { booleanIn } from './boolean-text.ts';

it.each([
  ...['true', 'True', 'TRUE', ' true\t', '1', 'yes', 'On'].map((text) => [text, true] as const),
  ...['false', 'False', 'FALSE', ' false ', '\tfAlSe', '0', 'no', 'Off'].map((text) => [text, false] as const),
  ...['', ' ', 'falsee', 'nope', 'true,false', '2', 'null'].map((text) => [text, undefined] as const),
])('booleanIn(%j) returns %s', (text, value) => {
  expect(booleanIn(text)).toBe(value);
});

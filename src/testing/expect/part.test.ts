import { expect, it } from 'vitest';
import { valueAt } from './part.ts';

const body = { a: { b: 1, 'c.d': 2, '0': 3 }, 'x.y': 4, 'z[0]': 5, n: null, list: [{ name: 6 }, [7]] };

it.each([
  ['a.b', 1],
  ['a.c.d', 2],
  ['a.0', 3],
  ['x.y', 4],
  ['z[0]', 5],
  ['list[0].name', 6],
  ['list.0.name', 6],
  ['list[1][0]', 7],
  ['list[2].name', undefined],
  ['list.name', undefined],
  ['n', null],
  ['a.b.c', undefined],
  ['a.toString', undefined],
  ['', undefined],
])('the value at "%s" is %j', (path, value) => {
  expect(valueAt(body, path)).toBe(value);
});

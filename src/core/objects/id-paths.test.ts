import { expect, it } from 'vitest';
import { idsAt } from './id-paths.ts';

it.each<[value: unknown, paths: string[], ids: string[]]>([
  [{ id: 'a', other: 'b' }, ['id'], ['a']],
  [{ id: 'a', in: { id: 'b' } }, ['in.id', 'id'], ['b', 'a']],
  [{ data: [{ id: 'a' }, { id: 'b' }, {}, 'c', null] }, ['data.*.id'], ['a', 'b']],
  [{ files: ['a', 'b', 7] }, ['files.*'], ['a', 'b']],
  [{ data: { id: 'a' } }, ['data.*.id'], []],
  [{ id: '' }, ['id'], []],
  [{ id: 7 }, ['id'], []],
  [{ id: null }, ['id', 'id.x'], []],
  [[], ['length', 'id'], []],
  [{}, ['__proto__', 'constructor.name', 'toString.name'], []],
  ['text', ['id', 'length'], []],
])('idsAt finds the IDs of %j at %j', (value, paths, ids) => {
  expect(idsAt(value, paths)).toEqual(ids);
});

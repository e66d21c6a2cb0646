import { expect, it } from 'vitest';
import { messagesList } from './list.ts';

const data = [{ id: 'a' }, { id: 'b' }];

it.each([
  ['a complete list', { data, has_more: false, first_id: 'a', last_id: 'b' }, { has_more: false, first_id: 'a', last_id: 'b' }],
  ['a page of a list', { data, has_more: true, first_id: 'a', last_id: 'b' }, { has_more: true, first_id: 'a', last_id: 'b' }],
  [
    'a page whose last row is hidden',
    { data, has_more: true, first_id: 'a', last_id: 'c' },
    { has_more: true, first_id: 'a', last_id: 'c' },
  ],
  ['a page whose rows are all hidden', { data: [], has_more: true, last_id: 'c' }, { has_more: true, first_id: null, last_id: 'c' }],
  ['a list of another API', { data, object: 'list' }, { has_more: false, first_id: 'a', last_id: 'b' }],
])('messagesList converts %s', (_, list, page) => {
  expect(messagesList(list)).toMatchObject(page);
});

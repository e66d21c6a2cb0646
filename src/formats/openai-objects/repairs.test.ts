import { expect, it } from 'vitest';
import { callOf } from '../../../test/contract/call.ts';
import { repairs } from './repairs.ts';

const repair = (endpoint: 'fine_tuning/jobs/{id}/checkpoints' | 'files/{id}/delete', text: string): string | undefined =>
  repairs.get(endpoint)?.(text, callOf({ endpoint, params: { id: 'x-1' } }));

it.each<readonly [string, string, string | undefined]>([
  ['a complete page', '{"object":"list","data":[{"id":"c2"}],"first_id":"c2","last_id":"c2","has_more":false}', undefined],
  ['a complete empty page', '{"object":"list","data":[],"first_id":null,"last_id":null,"has_more":false}', undefined],
  [
    'a page without cursors',
    '{"object":"list", "data":[{"id":"c2","metrics":{"train_loss":1.0}},{"id":"c1"}],"has_more":true}',
    '{"object":"list", "data":[{"id":"c2","metrics":{"train_loss":1.0}},{"id":"c1"}],"has_more":true,"first_id":"c2","last_id":"c1"}',
  ],
  [
    'cursors that are null',
    '{"object":"list","data":[{"id":"c"}],"first_id":null,"last_id":null,"has_more":false}',
    '{"object":"list","data":[{"id":"c"}],"first_id":"c","last_id":"c","has_more":false}',
  ],
  ['only rows', '{"data":[]}', '{"data":[],"object":"list","first_id":null,"last_id":null,"has_more":false}'],
  [
    'rows that are null',
    '{"object":"list","data":null,"first_id":null,"last_id":null,"has_more":false}',
    '{"object":"list","data":[],"first_id":null,"last_id":null,"has_more":false}',
  ],
  [
    'rows that are not objects',
    '{"data":[null,7],"has_more":false}',
    '{"data":[null,7],"has_more":false,"object":"list","first_id":null,"last_id":null}',
  ],
])('a page of checkpoints is completed: %s', (_name, sent, expected) => {
  expect(repair('fine_tuning/jobs/{id}/checkpoints', sent)).toBe(expected);
});

it('a response to a file deletion is completed if its body is empty', () => {
  expect(repair('files/{id}/delete', '')).toBe('{"id":"x-1","object":"file","deleted":true}');
  expect(repair('files/{id}/delete', '{"id":"x-1","deleted":true}')).toBeUndefined();
});

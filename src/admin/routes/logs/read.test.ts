import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../core/json/merge.ts';
import type { StoredRecords } from '../../api-types.ts';
import type { AdminCall } from '../route.ts';
import { readRoute } from './read.ts';

const bodies: Readonly<Record<string, string | undefined>> = { a: 'of a', b: undefined, big: 'x'.repeat(7 * 1024 * 1024), last: 'of last' };

/** A log of four records; each record shows how it was requested. */
const logs = {
  json: async ([, id]: readonly string[], { isBare }: { isBare: boolean }) =>
    Object.hasOwn(bodies, id ?? '') ? Buffer.from(JSON.stringify({ record: { id, isBare } })) : undefined,
  body: async (id: string) => (bodies[id] === undefined ? undefined : Buffer.from(bodies[id])),
};

async function readRecords(body: JsonObject, role = 'operator'): Promise<StoredRecords> {
  const call = { body: async () => body, user: { role }, subject: { logs: () => logs }, request: { headers: {} } };
  const reply = await readRoute.handle(call as unknown as AdminCall);
  if (!('bytes' in reply)) throw new Error('no bytes');
  return JSON.parse(Buffer.from(reply.bytes).toString()) as StoredRecords;
}

describe('reading several records', () => {
  it('returns them in order, without missing records, with the stored bodies', async () => {
    const { records, next } = await readRecords({ ids: ['b', 'none', 'a'], bodies: true });
    expect(records).toEqual([
      { stored: { record: { id: 'b', isBare: false } }, request: null },
      { stored: { record: { id: 'a', isBare: false } }, request: Buffer.from('of a').toString('base64') },
    ]);
    expect(next).toBeNull();
    expect(await readRecords({ ids: [] })).toEqual({ records: [], next: null });
  });

  it('stops if the response is large, and returns the id to continue with', async () => {
    const { records, next } = await readRecords({ ids: ['a', 'big', 'last', 'b'], bodies: true });
    expect([records.length, next]).toEqual([2, 'last']);
  });

  it('returns no content to a viewer', async () => {
    const { records } = await readRecords({ ids: ['a'] }, 'viewer');
    expect(records).toEqual([{ stored: { record: { id: 'a', isBare: true } }, request: null }]);
    await expect(readRecords({ ids: ['a'], bodies: true }, 'viewer')).rejects.toMatchObject({ code: 'not_allowed' });
  });

  it.each([{}, { ids: 'a' }, { ids: [1] }, { ids: Array.from({ length: 51 }, () => 'a') }])(
    'rejects %j with invalid_value',
    async (body) => {
      await expect(readRecords(body)).rejects.toMatchObject({ code: 'invalid_value' });
    },
  );
});

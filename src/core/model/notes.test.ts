import { describe, expect, it } from 'vitest';
import { MemoryBudget } from '../memory/budget.ts';
import { type NoteBounds, NoteMemory, type NoteScope } from './notes.ts';

const open: NoteBounds = { size: 1_000_000, perKey: 1_000_000, ttl: 1000 };
const ownScope: NoteScope = { owner: 'key:a', place: 'a' };
const otherScope: NoteScope = { owner: 'key:b', place: 'b' };
/** Bytes of a note of `length` characters with a one-letter id at a one-letter place. */
const cost = (length: number): number => 2 * (3 + length) + 200;

function memory(bounds: Partial<NoteBounds> = {}, limit = 100_000_000) {
  const budget = new MemoryBudget(limit);
  const notes = new NoteMemory();
  const options = { ...open, ...bounds };
  return {
    notes,
    budget,
    keep: (scope: NoteScope, id: string, text: string, now = 0) => notes.keep(scope, { id, text }, { bounds: options, budget, now }),
    recall: (scope: NoteScope, ids: string, now = 0) =>
      [...notes.recall(scope, ids.split(''), options.ttl, now)].map(([id, text]) => `${id}=${text}`).join(' '),
  };
}

describe('NoteMemory', () => {
  it('returns a note by its ID, any number of times', () => {
    const { keep, recall } = memory();
    keep(ownScope, 'x', 'one');
    keep(ownScope, 'y', 'two');
    expect([recall(ownScope, 'yzx'), recall(ownScope, 'x')]).toEqual(['y=two x=one', 'x=one']);
  });

  it('does not return a note to another scope', () => {
    const { keep, recall } = memory();
    keep(ownScope, 'x', 'one');
    expect([recall(otherScope, 'x'), recall({ owner: ownScope.owner, place: 'c' }, 'x')]).toEqual(['', '']);
  });

  it('replaces a note with a later one of the same call', () => {
    const { keep, recall, budget } = memory();
    keep(ownScope, 'x', 'one');
    keep(ownScope, 'x', 'other');
    expect([recall(ownScope, 'x'), budget.used]).toEqual(['x=other', cost(5)]);
  });

  it.each([
    [1000, 'x=one'],
    [1001, ''],
  ])('returns after %i ms: %j', (now, expected) => {
    const { keep, recall, budget } = memory();
    keep(ownScope, 'x', 'one');
    expect(recall(ownScope, 'x', now)).toBe(expected);
    expect(budget.used).toBe(expected === '' ? 0 : cost(3));
  });

  it('extends the lifetime of a note on each use', () => {
    const { keep, recall } = memory();
    keep(ownScope, 'x', 'one', 0);
    keep(ownScope, 'y', 'two', 500);
    expect([recall(ownScope, 'x', 900), recall(ownScope, 'xy', 1800)]).toEqual(['x=one', 'x=one']);
  });

  it('deletes an expired note without a query for it', () => {
    const { keep, budget } = memory();
    keep(ownScope, 'x', 'one', 0);
    keep(otherScope, 'y', 'two', 5000);
    expect(budget.used).toBe(cost(3));
  });
});

describe('the limits of NoteMemory', () => {
  it('of a key remove the oldest notes of this key only', () => {
    const { keep, recall, budget } = memory({ perKey: 2 * cost(10) });
    keep(otherScope, 'o', 'o'.repeat(10));
    for (const id of 'xyz') keep(ownScope, id, id.repeat(10));
    expect([recall(ownScope, 'xyz'), recall(otherScope, 'o')]).toEqual([`y=${'y'.repeat(10)} z=${'z'.repeat(10)}`, `o=${'o'.repeat(10)}`]);
    expect(budget.used).toBe(3 * cost(10));
  });

  it('in total remove the least recently used notes of any key', () => {
    const { keep, recall, budget } = memory({ size: 2 * cost(10) });
    keep(otherScope, 'o', 'o'.repeat(10));
    keep(ownScope, 'x', 'x'.repeat(10));
    recall(otherScope, 'o');
    keep(ownScope, 'y', 'y'.repeat(10));
    expect([recall(ownScope, 'xy'), recall(otherScope, 'o')]).toEqual([`y=${'y'.repeat(10)}`, `o=${'o'.repeat(10)}`]);
    expect(budget.used).toBe(2 * cost(10));
  });

  it.each([
    ['of a key', { perKey: cost(9) }],
    ['in total', { size: cost(9) }],
  ])('%s reject a larger note and remove no other for it', (_name, bounds) => {
    const { keep, recall } = memory(bounds);
    keep(ownScope, 'x', 'x'.repeat(9));
    keep(ownScope, 'y', 'y'.repeat(10));
    expect(recall(ownScope, 'xy')).toBe(`x=${'x'.repeat(9)}`);
  });

  it('in total are at most an eighth of the memory budget, and notes count against it', () => {
    const { keep, recall, budget, notes } = memory({}, 8 * cost(10));
    keep(ownScope, 'x', 'x'.repeat(10));
    expect(budget.used).toBe(cost(10));
    keep(ownScope, 'y', 'y'.repeat(10));
    expect([recall(ownScope, 'xy'), budget.used]).toEqual([`y=${'y'.repeat(10)}`, cost(10)]);
    notes.clear();
    expect([recall(ownScope, 'y'), budget.used]).toEqual(['', 0]);
  });

  it('of a key count only its remaining notes', () => {
    const { keep, recall } = memory({ perKey: 3 * cost(10), ttl: 10 });
    keep(ownScope, 'x', 'x'.repeat(10), 0);
    for (const id of 'yzw') keep(ownScope, id, id.repeat(10), 8);
    expect(recall(ownScope, 'x', 8)).toBe('');
    keep(ownScope, 'z', 'Z'.repeat(10), 9);
    keep(ownScope, 'v', 'v'.repeat(10), 9);
    expect(recall(ownScope, 'yzwv', 9)).toBe(`z=${'Z'.repeat(10)} w=${'w'.repeat(10)} v=${'v'.repeat(10)}`);
  });

  it('forget a key after its last note is deleted, and not before', () => {
    const { keep, notes } = memory({ ttl: 10 });
    keep(ownScope, 'x', 'one', 0);
    keep(ownScope, 'y', 'two', 5);
    keep(otherScope, 'z', 'three', 11);
    expect(notes.owners).toBe(2);
    keep(otherScope, 'w', 'four', 16);
    expect(notes.owners).toBe(1);
  });

  it('store nothing if requests use the whole memory budget', () => {
    const { keep, recall, budget } = memory({}, 100_000);
    budget.add(99_900);
    keep(ownScope, 'x', 'one');
    expect([recall(ownScope, 'x'), budget.used]).toEqual(['', 99_900]);
  });

  it('hold for any sequence of stores, reads and expirations', () => {
    const { keep, recall, budget } = memory({ size: 3000, perKey: 1200, ttl: 40 });
    for (let step = 0; step < 500; step += 1) {
      const scope = [ownScope, otherScope, { owner: 'key:c', place: 'c' }][step % 3] ?? ownScope;
      keep(scope, String.fromCharCode(97 + (step % 7)), 'z'.repeat((step * 37) % 400), step);
      recall(scope, 'abc', step);
      expect(budget.used).toBeLessThanOrEqual(3000);
    }
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DenseSetMember, DenseSet } from './dense-set.ts';

interface Named extends DenseSetMember {
  readonly name: number;
}

const byValue = (a: number, b: number): number => a - b;

const someMembers = (): Named[] => Array.from({ length: 8 }, (_, name) => ({ name, index: undefined }));

function visited(dense: DenseSet<Named>): number[] {
  const names: number[] = [];
  dense.each(({ name }) => names.push(name));
  return names.toSorted(byValue);
}

describe('DenseSet', () => {
  it('contains the same members as a Set after any additions and deletions', () => {
    const steps = fc.array(fc.record({ name: fc.nat(7), adds: fc.boolean() }), { maxLength: 60 });
    fc.assert(
      fc.property(steps, (all) => {
        const members = someMembers();
        const dense = new DenseSet<Named>();
        const set = new Set<number>();
        for (const { name, adds } of all) {
          const member = members[name] as Named;
          if (adds) dense.add(member);
          else dense.delete(member);
          if (adds) set.add(name);
          else set.delete(name);
          expect(dense.size).toBe(set.size);
        }
        expect(visited(dense)).toEqual([...set].toSorted(byValue));
      }),
    );
  });

  it('visits every remaining member if others are removed during the iteration', () => {
    const leaving = fc.array(fc.array(fc.nat(7), { maxLength: 3 }), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(leaving, (leave) => {
        const members = someMembers();
        const dense = new DenseSet<Named>();
        for (const member of members) dense.add(member);
        const seen = new Set<number>();
        dense.each(({ name }) => {
          seen.add(name);
          for (const other of leave[name] ?? []) dense.delete(members[other] as Named);
        });
        expect(visited(dense).filter((name) => !seen.has(name))).toEqual([]);
      }),
    );
  });
});

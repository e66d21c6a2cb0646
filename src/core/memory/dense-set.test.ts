import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DenseSetMember, DenseSet } from './dense-set.ts';

interface NamedMember extends DenseSetMember {
  readonly name: number;
}

const byValue = (a: number, b: number): number => a - b;

const someMembers = (): NamedMember[] => Array.from({ length: 8 }, (_, name) => ({ name, index: undefined }));

function visited(denseSet: DenseSet<NamedMember>): number[] {
  const names: number[] = [];
  denseSet.each(({ name }) => names.push(name));
  return names.toSorted(byValue);
}

describe('DenseSet', () => {
  it('contains the same members as a Set after any additions and deletions', () => {
    const steps = fc.array(fc.record({ name: fc.nat(7), isAdded: fc.boolean() }), { maxLength: 60 });
    fc.assert(
      fc.property(steps, (stepList) => {
        const members = someMembers();
        const denseSet = new DenseSet<NamedMember>();
        const set = new Set<number>();
        for (const { name, isAdded } of stepList) {
          const member = members[name] as NamedMember;
          if (isAdded) denseSet.add(member);
          else denseSet.delete(member);
          if (isAdded) set.add(name);
          else set.delete(name);
          expect(denseSet.size).toBe(set.size);
        }
        expect(visited(denseSet)).toEqual([...set].toSorted(byValue));
      }),
    );
  });

  it('visits every remaining member if others are removed during the iteration', () => {
    const removals = fc.array(fc.array(fc.nat(7), { maxLength: 3 }), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(removals, (removalsOf) => {
        const members = someMembers();
        const denseSet = new DenseSet<NamedMember>();
        for (const member of members) denseSet.add(member);
        const visitedNames = new Set<number>();
        denseSet.each(({ name }) => {
          visitedNames.add(name);
          for (const removed of removalsOf[name] ?? []) denseSet.delete(members[removed] as NamedMember);
        });
        expect(visited(denseSet).filter((name) => !visitedNames.has(name))).toEqual([]);
      }),
    );
  });
});

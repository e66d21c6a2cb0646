import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MemoryBudget, MemoryReservation } from './budget.ts';

test('holds never exceed the limit of their budget and release everything they added', () => {
  const step = fc.tuple(fc.nat(3), fc.constantFrom('take', 'set', 'end', 'close'), fc.nat(60));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const budget = new MemoryBudget(100);
      const holds = Array.from({ length: 4 }, () => new MemoryReservation(budget));
      const held = [0, 0, 0, 0];
      const closed = new Set<number>();
      for (const [who, what, bytes] of steps) {
        const hold = holds[who] as MemoryReservation;
        const own = held[who] ?? 0;
        const wanted = { take: own + bytes, set: bytes, end: own, close: 0 }[what];
        const others = held.reduce((sum, each) => sum + each, 0) - own;
        const act = (): void =>
          ({ take: () => hold.take(bytes), set: () => hold.set(bytes), end: () => hold.end(), close: () => hold.close() })[what]();
        const isLate = closed.has(who) && (what === 'take' || wanted > own);
        if (isLate || (wanted > own && others + wanted > 100)) {
          expect(act).toThrow(/memory for requests is full/);
        } else {
          act();
          held[who] = wanted;
          if (what === 'close' || what === 'end') closed.add(who);
        }
        expect(budget.used).toBe(held.reduce((sum, each) => sum + each, 0));
      }
      for (const hold of holds) hold.close();
      expect(budget.used).toBe(0);
    }),
  );
});

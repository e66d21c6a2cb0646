import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MemoryBudget, MemoryReservation } from './budget.ts';

test('reservations never exceed the limit of their budget and release everything they added', () => {
  const step = fc.tuple(fc.nat(3), fc.constantFrom('take', 'set', 'end', 'close'), fc.nat(60));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const budget = new MemoryBudget(100);
      const reservations = Array.from({ length: 4 }, () => new MemoryReservation(budget));
      const reserved = [0, 0, 0, 0];
      const closed = new Set<number>();
      for (const [holder, action, bytes] of steps) {
        const reservation = reservations[holder] as MemoryReservation;
        const current = reserved[holder] ?? 0;
        const target = { take: current + bytes, set: bytes, end: current, close: 0 }[action];
        const reservedByOthers = reserved.reduce((sum, bytes) => sum + bytes, 0) - current;
        const apply = (): void =>
          ({
            take: () => reservation.take(bytes),
            set: () => reservation.set(bytes),
            end: () => reservation.end(),
            close: () => reservation.close(),
          })[action]();
        const isLate = closed.has(holder) && (action === 'take' || target > current);
        if (isLate || (target > current && reservedByOthers + target > 100)) {
          expect(apply).toThrow(/memory for requests is full/);
        } else {
          apply();
          reserved[holder] = target;
          if (action === 'close' || action === 'end') closed.add(holder);
        }
        expect(budget.used).toBe(reserved.reduce((sum, bytes) => sum + bytes, 0));
      }
      for (const reservation of reservations) reservation.close();
      expect(budget.used).toBe(0);
    }),
  );
});

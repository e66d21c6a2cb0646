import type { Clock } from '../context.ts';

export const systemClock: Clock = { now: Date.now, monotonic: () => performance.now() };

import { expect, it } from 'vitest';
import type { Outcome } from '#core/plan.ts';
import { makeAttempt, makeContext, makeLeaf, makeRetry } from '../../test/support/stage-context.ts';
import { totalDelay } from './delays.ts';

it('counts a delay until a date of retry-after from the end of the attempt', () => {
  const ctx = makeContext();
  const target = makeLeaf({ retry: makeRetry(1, [429], true) });
  // HTTP dates have whole seconds.
  const end = Math.ceil(ctx.at / 1000) * 1000 + 3_000;
  const outcome = (tries: number): Outcome => ({
    kind: 'answered',
    attempt: makeAttempt(target, { tries }),
    times: { at: end - ctx.at - 1_000, connectMs: 1, firstByteMs: 2, totalMs: 1_000 },
    reply: {
      status: 429,
      headers: { 'retry-after': new Date(end + 5_000).toUTCString() },
      body: Buffer.alloc(0),
      flow: undefined,
      tap: undefined,
    },
  });
  expect(totalDelay(ctx, [outcome(0), outcome(1)])).toBe(5_000);
});

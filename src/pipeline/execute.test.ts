import { describe, expect, it } from 'vitest';
import { createPlanner } from '../config/compile/targets/plan.ts';
import type { Dialect } from '../core/dialect.ts';
import type { RequestHead } from '../core/http/request.ts';
import { MemoryBudget } from '../core/memory/budget.ts';
import type { Attempt, Outcome, Send } from '../core/plan.ts';
import type { PluginInstance } from '../core/plugin.ts';
import { makeBinding, makeBranch, makeConfig, makeContext, makeLeaf, makeRetry, makeSnapshot } from '../../test/support/stage-context.ts';
import { errorOf } from './response/errors.ts';
import { finalOf } from './response/final.ts';
import { Chain } from './chain.ts';
import { Execution, firstTry } from './execute.ts';
import { schedule } from '../core/async/schedule.ts';
import { makeRecord } from './record/index.ts';
import { overheadMs, upstreamMs } from './record/facts.ts';
import { RequestContext } from './request.ts';

const leaves = ['a', 'b', 'c'].map((slug) => makeLeaf({ provider: makeBinding(slug), retry: makeRetry(0) }));
const dialect = { isError: () => false } as unknown as Dialect;

/** A request with these targets, a sender whose attempts end when the test says so, and a clock that the test sets. */
function createExecution(strategy: 'fallback' | 'loadbalance', instance: PluginInstance) {
  const clock = { now: 0 };
  const sent: { attempt: Attempt; end: (outcome: Outcome) => void; isCancelled: boolean }[] = [];
  const send: Send = (attempt) => {
    let end: (outcome: Outcome) => void = () => undefined;
    const outcome = new Promise<Outcome>((resolve) => (end = resolve));
    const pending = { attempt, end, isCancelled: false };
    sent.push(pending);
    const cancel = (): void => {
      pending.isCancelled = true;
      end({ kind: 'cancelled', attempt, times: { at: 0, connectMs: undefined, firstByteMs: undefined, totalMs: clock.now } });
    };
    return { outcome, cancel };
  };
  const snapshot = makeSnapshot();
  const ctx = new RequestContext(makeContext({ snapshot }) as unknown as RequestHead, snapshot, new MemoryBudget(Number.POSITIVE_INFINITY));
  ctx.isAdmitted = true;
  const branch = makeBranch(strategy, leaves);
  const query = { metadata: {}, pathname: '/', params: () => undefined };
  const plan = createPlanner()(makeConfig('test', branch), { walk: 'model', random: 0, query, accepts: () => true });
  if (plan === undefined) throw new Error('no plan');
  ctx.plan = plan;
  const monotonic = (): number => clock.now;
  const run = new Execution(ctx, {
    chain: new Chain([{ name: 'breaker', instance }], monotonic),
    send,
    dialect,
    isolation: undefined,
    monotonic,
    schedule,
    mask: (bytes) => bytes,
    reply: (current) => {
      const final = finalOf(current, dialect);
      const body = Buffer.from(final.kind === 'error' ? final.error.message : 'passed');
      return { status: final.kind === 'error' ? final.error.status : 200, headers: [], body, flow: undefined };
    },
  });
  return { ctx, run, sent, clock, targets: branch.targets as typeof leaves };
}

const answered = (attempt: Attempt, status: number, startMs: number, totalMs: number): Outcome => ({
  kind: 'answered',
  attempt,
  times: { at: startMs, connectMs: 0, firstByteMs: 1, totalMs },
  reply: { status, headers: {}, body: Buffer.from('{"error":{"message":"down"}}'), flow: undefined, tap: undefined },
});

const requestEnd = {
  status: 200,
  end: 'whole',
  error: null,
  bytesIn: 0,
  bytesOut: 0,
  totalMs: 100,
  firstEventMs: 1,
  overheadMs: 0,
} as const;
const recordOf = (ctx: RequestContext, run: Execution) =>
  makeRecord(ctx, run, { ...requestEnd, kept: undefined, gatewayBody: undefined }, () => true).record;

/** Skips these providers; a failed response moves on to the next target. */
const breakerPlugin = (...open: readonly string[]): PluginInstance => ({
  skip: (_ctx, target) => (open.includes(target.provider?.slug ?? '') ? 'open' : undefined),
  judge: (_ctx, outcome) => (outcome.kind === 'answered' && outcome.reply.status < 400 ? undefined : { do: 'next', because: 'failed' }),
});

describe('warnings of a request', () => {
  it('include those of the attempt whose response the client receives, not those of failed targets', async () => {
    const { ctx, run, sent } = createExecution('fallback', {
      prepare: ({ warnings }, { target }) => void warnings.push(`of ${target.provider?.slug}`),
      judge: (context, outcome, earlier) => {
        context.warnings.push(`judged ${earlier.length}`);
        if (outcome.kind === 'answered' && outcome.reply.status < 400) return undefined;
        return earlier.length === 0 ? { do: 'again', afterMs: 0, because: 'down' } : { do: 'next', because: 'down' };
      },
    });
    ctx.warnings.push('of the request');
    const runPromise = run.run();
    for (const status of [500, 500, 200]) {
      await expect.poll(() => sent.length).toBe(run.history.length + 1);
      const { attempt, end } = sent.at(-1) as (typeof sent)[number];
      end(answered(attempt, status, 0, 1));
      await expect.poll(() => run.history.length).toBe(sent.length);
    }
    await runPromise;
    expect(ctx.warnings).toEqual(['of the request', 'judged 0', 'judged 1', 'of b', 'judged 2']);
  });
});

describe('targets skipped by a plugin', () => {
  // The random number selects b, and then c.
  it.each<['fallback' | 'loadbalance', readonly string[], readonly string[], string]>([
    ['fallback', ['a'], ['a'], 'b'],
    ['fallback', ['a', 'b'], ['a', 'b'], 'c'],
    ['fallback', ['b'], [], 'a'],
    ['loadbalance', ['a'], [], 'b'],
    ['loadbalance', ['b'], ['b'], 'c'],
    ['loadbalance', ['b', 'c'], ['b', 'c'], 'a'],
  ])('are replaced: %s with %j skipped records skips of %j and uses %s', async (strategy, open, skippedSlugs, served) => {
    const { ctx, run, sent } = createExecution(strategy, breakerPlugin(...open));
    const reply = run.run();
    await new Promise(setImmediate);
    expect(sent.map(({ attempt }) => attempt.binding.slug)).toEqual([served]);
    sent[0]?.end(answered(sent[0].attempt, 200, 0, 10));
    expect((await reply)?.status).toBe(200);
    const record = recordOf(ctx, run);
    expect(record.attempts.map(({ provider, outcome, reason }) => [provider, outcome, reason])).toEqual([
      ...skippedSlugs.map((slug) => [slug, 'skipped', 'breaker: open']),
      [served, 'answered', null],
    ]);
    expect([record.provider, record.attempts.map(({ n }) => n)]).toEqual([served, [...skippedSlugs, served].map((_, n) => n)]);
  });

  it('are listed in the error if the other targets fail', async () => {
    const { ctx, run, sent } = createExecution('fallback', breakerPlugin('b', 'c'));
    const reply = run.run();
    await new Promise(setImmediate);
    sent[0]?.end(answered(sent[0].attempt, 500, 0, 10));
    const { status, body } = (await reply) ?? {};
    expect(status).toBe(500);
    expect(body?.toString()).toBe('All 3 targets failed. Last: a returned 500 ("down"). Skipped: b (breaker: open), c (breaker: open).');
    expect(recordOf(ctx, run)).toMatchObject({
      provider: 'a',
      attempts: [{ reason: 'failed: down' }, { outcome: 'skipped' }, { outcome: 'skipped' }],
    });
  });

  it('cause 503 target_skipped if no target is left', async () => {
    const { run, sent } = createExecution('loadbalance', breakerPlugin('a', 'b', 'c'));
    expect(await run.run()).toMatchObject({ status: 503 });
    expect(sent).toEqual([]);
    expect(run.last === undefined ? undefined : errorOf(run.last)).toMatchObject({ code: 'target_skipped', status: 503 });
  });
});

describe('overlapping attempts', () => {
  it('are recorded in the order they began, and overlapping time counts once', async () => {
    const { ctx, run, sent, clock, targets } = createExecution('fallback', { prepare: () => undefined });
    const tries = targets.slice(0, 2).map((leaf) => run.attempt(firstTry(leaf)));
    await new Promise(setImmediate);
    const [first, second] = sent.map(({ attempt }) => attempt) as [Attempt, Attempt];
    expect([first.index, second.index]).toEqual([0, 1]);
    // The second attempt began at 50 and got its response before the first one, which is then cancelled.
    sent[1]?.end(answered(second, 200, 50, 30));
    run.push(await (tries[1] as Promise<Outcome>));
    clock.now = 90;
    sent[0]?.end({ kind: 'cancelled', attempt: first, times: { at: 0, connectMs: 1, firstByteMs: undefined, totalMs: 90 } });
    run.history.push(await (tries[0] as Promise<Outcome>));
    expect(run.last?.attempt).toBe(second);
    expect([upstreamMs(run), overheadMs(100, run)]).toEqual([90, 10]);
    run.waits.push({ at: 85, totalMs: 10 });
    expect([upstreamMs(run), overheadMs(100, run)]).toEqual([90, 5]);
    const { attempts, provider } = recordOf(ctx, run);
    expect(provider).toBe('b');
    expect(attempts).toMatchObject([
      { n: 0, provider: 'a', at: 0, total_ms: 90, outcome: 'cancelled' },
      { n: 1, provider: 'b', at: 50, total_ms: 30, outcome: 'answered' },
    ]);
  });

  it('are all cancelled when the client disconnects', async () => {
    const { run, sent, targets } = createExecution('fallback', { prepare: () => undefined });
    const tries = targets.map((leaf) => run.attempt(firstTry(leaf)));
    await new Promise(setImmediate);
    run.cancel();
    expect(sent.map(({ isCancelled }) => isCancelled)).toEqual([true, true, true]);
    expect((await Promise.all(tries)).map(({ kind }) => kind)).toEqual(['cancelled', 'cancelled', 'cancelled']);
  });
});

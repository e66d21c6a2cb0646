import { describe, expect, it } from 'vitest';
import { makeBinding, makeLeaf } from '../../test/support/stage-context.ts';
import { emptyBody } from '../core/json/body.ts';
import { GatewayError } from '../core/error.ts';
import type { Attempt, Outcome } from '../core/plan.ts';
import type { Call, CommonSettings, Operation, StepReply, UpstreamRequest } from '../core/provider.ts';
import { followUp } from './steps.ts';

const request = (method: string, path: string, over: Partial<UpstreamRequest> = {}): UpstreamRequest => ({
  origin: 'https://api.example',
  path,
  method,
  headers: [],
  body: emptyBody,
  dropped: [],
  ...over,
});

const operation = (over: Partial<Operation>): Operation => ({
  request: () => request('POST', '/cancel'),
  tap: () => {
    throw new Error('nothing is watched here');
  },
  ...over,
});

function attemptOf(op: Operation, over: Partial<Attempt> = {}): Attempt {
  return {
    index: 2,
    tries: 1,
    target: makeLeaf(),
    binding: makeBinding('main'),
    model: '',
    clocks: { connect: 10, firstByte: 20, idle: 30, total: 1000, request: 500 },
    trust: 'operator',
    lane: 'full',
    operation: op,
    call: { endpoint: 'batches/{id}/cancel' } as Call<CommonSettings>,
    upstream: request('POST', '/cancel', { dropped: [{ param: 'a', reason: 'r' }] }),
    credential: undefined,
    forwarded: undefined,
    echoes: 0,
    ...over,
  };
}

function answered(attempt: Attempt, status: number, text: string, at = 0): Outcome {
  const times = { at, connectMs: 1, firstByteMs: 2, totalMs: 100 };
  return {
    kind: 'answered',
    attempt,
    times,
    reply: { status, headers: { 'x-n': text }, body: Buffer.from(text), flow: undefined, tap: undefined },
  };
}

/** Plays one call; each answer is a status and a text, or a kind of failure. */
async function play(op: Operation, answers: readonly (readonly [number, string] | 'timeout' | 'cancelled')[], over: Partial<Attempt> = {}) {
  const sent: Attempt[] = [];
  const warnings: string[] = [];
  const outcomeOf = (attempt: Attempt): Outcome => {
    const at = sent.length * 200;
    const answer = answers[sent.length] ?? [200, 'unexpected'];
    sent.push(attempt);
    const times = { at, connectMs: 1, firstByteMs: undefined, totalMs: 100 };
    if (answer === 'timeout') return { kind: 'timeout', attempt, times, phase: 'total', afterMs: 1, sent: true };
    if (answer === 'cancelled') return { kind: 'cancelled', attempt, times };
    return answered(attempt, answer[0], answer[1], at);
  };
  const deps = {
    send: (attempt: Attempt) => Promise.resolve(outcomeOf(attempt)),
    isOver: () => false,
    warn: (text: string) => void warnings.push(text),
    key: undefined,
  };
  const outcome = await followUp(outcomeOf(attemptOf(op, over)), op.then as NonNullable<Operation['then']>, deps);
  return {
    outcome,
    sent,
    warnings,
    text: outcome.kind === 'answered' ? (outcome.reply.converted?.body ?? outcome.reply.body)?.toString() : '',
  };
}

const read = operation({
  then: (replies) => (replies.length === 1 ? request('GET', '/read', { dropped: [{ param: 'b', reason: 'r' }] }) : undefined),
});
const recovering = operation({
  then: read.then as NonNullable<Operation['then']>,
  recover: (replies) => ({ seen: replies.map(({ status }) => status) }),
});

describe('a call of several requests', () => {
  it('sends the next one within the same attempt and allowance', async () => {
    const { outcome, sent, text } = await play(read, [
      [200, 'one'],
      [200, 'two'],
    ]);
    expect(text).toBe('two');
    expect(sent.map(({ upstream }) => `${upstream?.method} ${upstream?.path}`)).toEqual(['POST /cancel', 'GET /read']);
    expect(sent[1]).toMatchObject({ index: 2, tries: 1, hasWritten: true, clocks: { total: 900, request: 400, idle: 30 } });
    expect(sent[1]?.earlier).toEqual([{ status: 200, headers: { 'x-n': 'one' }, text: 'one' }]);
    expect(sent[1]?.upstream?.dropped.map(({ param }) => param)).toEqual(['a', 'b']);
    expect(outcome.times).toMatchObject({ at: 0, totalMs: 300 });
  });

  it('hands the answers before it to the tap of each', async () => {
    const heard: (readonly string[] | undefined)[] = [];
    const op = operation({
      then: (replies) => (replies.length < 3 ? request('GET', '/more') : undefined),
      tap(_call, earlier) {
        heard.push(earlier?.map(({ text }) => text));
        return {} as ReturnType<Operation['tap']>;
      },
    });
    const { sent } = await play(
      op,
      ['one', 'two', 'three'].map((text) => [200, text] as const),
    );
    for (const { operation: watched, call } of sent) watched?.tap(call as Call<CommonSettings>);
    expect(heard).toEqual([undefined, ['one'], ['one', 'two']]);
  });

  it('ends after four', async () => {
    const endless = operation({ then: () => request('GET', '/more') });
    const { sent, text } = await play(
      endless,
      [1, 2, 3, 4, 5].map((n) => [200, `${n}`] as const),
    );
    expect([sent.length, text]).toEqual([4, '4']);
  });

  it.each([
    ['an error of the first', read, [[409, 'no']], 1, 'no'],
    [
      'an error of a later one',
      read,
      [
        [200, 'one'],
        [500, 'down'],
      ],
      2,
      'down',
    ],
    [
      'what recovers of an error',
      recovering,
      [
        [200, 'one'],
        [500, 'down'],
      ],
      2,
      '{"seen":[200,500]}',
    ],
    ['what recovers of a silence', recovering, [[200, 'one'], 'timeout'], 2, '{"seen":[200,0]}'],
    ['an error of the first, though later ones recover', recovering, [[404, 'none']], 1, 'none'],
  ] as const)('answers %s', async (_name, op, answers, count, expected) => {
    const { sent, text, outcome, warnings } = await play(op, answers);
    expect([sent.length, text]).toEqual([count, expected]);
    const recovered = expected.startsWith('{');
    expect(outcome.kind === 'answered' && outcome.reply.status === 200).toBe(recovered);
    expect(warnings).toHaveLength(recovered ? 1 : 0);
  });

  it('does not recover for a client that left', async () => {
    expect((await play(recovering, [[200, 'one'], 'cancelled'])).outcome.kind).toBe('cancelled');
  });

  it.each([
    ['a refusal of ours', new GatewayError('invalid_value', { message: 'not yet' }), { kind: 'refused', error: { message: 'not yet' } }],
    ['a defect', new TypeError('x is not a function'), { kind: 'faulty', status: 502 }],
  ])('ends with %s that making the next request threw', async (_name, thrown, expected) => {
    const op = operation({
      then: () => {
        throw thrown;
      },
    });
    expect((await play(op, [[200, 'one']])).outcome).toMatchObject(expected);
  });

  it('asks nothing after an answer that flows, and refuses one that was too large to be read', async () => {
    const flow = { abort: () => undefined } as NonNullable<(Outcome & { kind: 'answered' })['reply']['flow']>;
    const large = (form: 'bytes' | 'json') => {
      const { attempt, times, ...rest } = answered(attemptOf(read), 200, '') as Outcome & { kind: 'answered' };
      const tap = { form } as NonNullable<typeof rest.reply.tap>;
      const outcome: Outcome = { ...rest, attempt, times, reply: { ...rest.reply, flow, tap } };
      const deps = { send: () => Promise.reject(new Error('nothing is sent')), isOver: () => false, warn: () => undefined, key: undefined };
      return followUp(outcome, read.then as (replies: readonly StepReply[]) => UpstreamRequest | undefined, deps);
    };
    expect((await large('bytes')).kind).toBe('answered');
    expect(await large('json')).toMatchObject({ kind: 'faulty', status: 502 });
  });
});

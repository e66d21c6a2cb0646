import { describe, expect, it } from 'vitest';
import { makeAttempt, makeLeaf } from '../../test/support/stage-context.ts';
import { emptyBody } from '../core/json/body.ts';
import { GatewayError } from '../core/error.ts';
import type { Answered, Attempt, Outcome } from '../core/plan.ts';
import type { Call, CommonSettings, StepReply, Tap, Translation, UpstreamRequest } from '../core/provider.ts';
import { followUp } from './steps.ts';

const request = (method: string, path: string, overrides: Partial<UpstreamRequest> = {}): UpstreamRequest => ({
  origin: 'https://api.example',
  path,
  method,
  headers: [],
  body: emptyBody,
  dropped: [],
  ...overrides,
});

const emptyTap = {} as Tap;

const cancelStep = (overrides: Partial<Translation>): Translation => ({ request: request('POST', '/cancel'), tap: emptyTap, ...overrides });

const attemptOf = (translation: Translation, overrides: Partial<Attempt> = {}): Attempt =>
  makeAttempt(makeLeaf(), {
    index: 2,
    tries: 1,
    model: '',
    timeouts: { connect: 10, firstByte: 20, idle: 30, total: 1000, request: 500 },
    call: { endpoint: 'batches/{id}/cancel' } as Call<CommonSettings>,
    translation,
    upstream: request('POST', '/cancel', { dropped: [{ param: 'a', reason: 'r' }] }),
    ...overrides,
  });

function answered(attempt: Attempt, status: number, text: string, startMs = 0): Outcome {
  const times = { at: startMs, connectMs: 1, firstByteMs: 2, totalMs: 100 };
  return {
    kind: 'answered',
    attempt,
    times,
    reply: { status, headers: { 'x-n': text }, body: Buffer.from(text), flow: undefined, tap: undefined },
  };
}

/** Runs one call; each reply is a status and a text, or a kind of failure. */
async function runSteps(first: Translation, responses: readonly (readonly [number, string] | 'timeout' | 'cancelled')[]) {
  const sent: Attempt[] = [];
  const warnings: string[] = [];
  const outcomeOf = (attempt: Attempt): Outcome => {
    const startMs = sent.length * 200;
    const response = responses[sent.length] ?? [200, 'unexpected'];
    sent.push(attempt);
    const times = { at: startMs, connectMs: 1, firstByteMs: undefined, totalMs: 100 };
    if (response === 'timeout') return { kind: 'timeout', attempt, times, phase: 'total', afterMs: 1, sent: true };
    if (response === 'cancelled') return { kind: 'cancelled', attempt, times };
    return answered(attempt, response[0], response[1], startMs);
  };
  const deps = {
    send: (attempt: Attempt) => Promise.resolve(outcomeOf(attempt)),
    isCancelled: () => false,
    warn: (text: string) => void warnings.push(text),
    key: undefined,
  };
  const outcome = await followUp(outcomeOf(attemptOf(first)), deps);
  return {
    outcome,
    sent,
    warnings,
    text: outcome.kind === 'answered' ? (outcome.reply.converted?.body ?? outcome.reply.body)?.toString() : '',
  };
}

const readRequest = request('GET', '/read', { dropped: [{ param: 'b', reason: 'r' }] });
const readStep = cancelStep({ then: () => ({ request: readRequest, tap: emptyTap }) });
const recoveringStep = cancelStep({
  then: ({ text }) => ({ request: readRequest, tap: emptyTap, recover: ({ status }) => ({ seen: [text, status] }) }),
});

describe('followUp()', () => {
  it('sends the next request within the same attempt and the remaining time limits', async () => {
    const { outcome, sent, text } = await runSteps(readStep, [
      [200, 'one'],
      [200, 'two'],
    ]);
    expect(text).toBe('two');
    expect(sent.map(({ upstream }) => `${upstream?.method} ${upstream?.path}`)).toEqual(['POST /cancel', 'GET /read']);
    expect(sent[1]).toMatchObject({ index: 2, tries: 1, hasWritten: true, timeouts: { total: 900, request: 400, idle: 30 } });
    expect(sent.map(({ isFollowUp }) => isFollowUp)).toEqual([undefined, true]);
    expect(sent[1]?.upstream?.dropped.map(({ param }) => param)).toEqual(['a', 'b']);
    expect(outcome.times).toMatchObject({ at: 0, totalMs: 300 });
  });

  it('passes each response to the step that sent its request, and uses the full lane once a step converts', async () => {
    const replies: StepReply[] = [];
    const lastStep: Translation = { request: readRequest, tap: emptyTap, result: () => ({}) };
    const recordingStep = (next: Translation): Translation => ({
      request: readRequest,
      tap: emptyTap,
      then(reply) {
        replies.push(reply);
        return next;
      },
    });
    const { sent } = await runSteps(
      recordingStep(recordingStep(lastStep)),
      ['one', 'two', 'three'].map((text) => [200, text] as const),
    );
    expect(replies.map(({ text, headers }) => [text, headers['x-n']])).toEqual([
      ['one', 'one'],
      ['two', 'two'],
    ]);
    expect(sent.map(({ lane }) => lane)).toEqual(['express', 'express', 'full']);
  });

  it('stops after four requests', async () => {
    const endlessStep: Translation = cancelStep({ then: () => endlessStep });
    const { sent, text } = await runSteps(
      endlessStep,
      [1, 2, 3, 4, 5].map((n) => [200, `${n}`] as const),
    );
    expect([sent.length, text]).toEqual([4, '4']);
  });

  it.each([
    ['the error of the first request', readStep, [[409, 'no']], 1, 'no'],
    [
      'the error of a later request',
      readStep,
      [
        [200, 'one'],
        [500, 'down'],
      ],
      2,
      'down',
    ],
    [
      'the recovered result after an error',
      recoveringStep,
      [
        [200, 'one'],
        [500, 'down'],
      ],
      2,
      '{"seen":["one",500]}',
    ],
    ['the recovered result after a timeout', recoveringStep, [[200, 'one'], 'timeout'], 2, '{"seen":["one",0]}'],
    ['the error of the first request even if later ones can recover', recoveringStep, [[404, 'none']], 1, 'none'],
  ] as const)('returns %s', async (_name, firstStep, responses, count, expected) => {
    const { sent, text, outcome, warnings } = await runSteps(firstStep, responses);
    expect([sent.length, text]).toEqual([count, expected]);
    const recovered = expected.startsWith('{');
    expect(outcome.kind === 'answered' && outcome.reply.status === 200).toBe(recovered);
    expect(warnings).toHaveLength(recovered ? 1 : 0);
  });

  it('does not recover if the client disconnected', async () => {
    expect((await runSteps(recoveringStep, [[200, 'one'], 'cancelled'])).outcome.kind).toBe('cancelled');
  });

  it.each([
    ['a GatewayError', new GatewayError('invalid_value', { message: 'not yet' }), { kind: 'refused', error: { message: 'not yet' } }],
    ['an unexpected error', new TypeError('x is not a function'), { kind: 'faulty', fault: { status: 502 } }],
  ])('ends with %s thrown while the next request is created', async (_name, thrown, expected) => {
    const failingStep = cancelStep({
      then: () => {
        throw thrown;
      },
    });
    expect((await runSteps(failingStep, [[200, 'one']])).outcome).toMatchObject(expected);
  });

  it('sends no further request after a streamed response, and returns 502 if a response is too large', async () => {
    const flow = { abort: () => undefined } as NonNullable<Answered['reply']['flow']>;
    const largeBody = (form: 'bytes' | 'json') => {
      const { attempt, times, ...rest } = answered(attemptOf(readStep), 200, '') as Answered;
      const tap = { form } as NonNullable<typeof rest.reply.tap>;
      const outcome: Outcome = { ...rest, attempt, times, reply: { ...rest.reply, flow, tap } };
      const deps = {
        send: () => Promise.reject(new Error('nothing is sent')),
        isCancelled: () => false,
        warn: () => undefined,
        key: undefined,
      };
      return followUp(outcome, deps);
    };
    expect((await largeBody('bytes')).kind).toBe('answered');
    expect(await largeBody('json')).toMatchObject({ kind: 'faulty', fault: { status: 502 } });
  });
});

import type { NoteBounds } from '#core/model/notes.ts';
import type { Attempt } from '#core/plan.ts';
import { describe, expect, it } from 'vitest';
import { type Case, chat, prepare } from '../../../test/support/prepare.ts';
import { makeBinding, makeHost, makeKey, makeSnapshot, noon } from '../../../test/support/stage-context.ts';

const bounds: NoteBounds = { size: 100_000, perKey: 100_000, ttl: 1000 };

/** A gateway with the memory for thinking on. */
function gatewayWithMemory(thinkingMemory: NoteBounds = bounds) {
  let now = noon;
  const sharedState = new Map<string, unknown>();
  const sent: unknown[] = [];
  let receive = (_note: unknown): void => {};
  const shared = <T>(key: string, create: (publish: (value: unknown) => void) => T, received: (value: T, note: unknown) => void): T => {
    if (!sharedState.has(key)) {
      const made = create((value) => sent.push(value));
      sharedState.set(key, made);
      if (key === 'notes') receive = (note) => received(made, note);
    }
    return sharedState.get(key) as T;
  };
  const host = makeHost({ shared, now: () => now });
  const snapshot = makeSnapshot();
  const serverWith = (memory: NoteBounds): typeof snapshot.server =>
    memory === disabled ? { ...snapshot.server } : { ...snapshot.server, thinkingMemory: memory };
  return {
    /** The notes that this process sent to the other workers. */
    sent,
    receive: (note: unknown) => receive(note),
    wait: (ms: number) => {
      now += ms;
    },
    prepare: async (parts: Case = {}, memory = thinkingMemory) =>
      (await prepare({ host, snapshot: { ...snapshot, server: serverWith(memory) }, ...parts })).attempt,
  };
}

const disabled: NoteBounds = { size: 0, perKey: 0, ttl: 0 };

/** What is stored for the call "c1". */
const storedFor = ({ call }: Attempt): unknown => (call?.notes === undefined ? undefined : Object.fromEntries(call.notes.recall(['c1'])));

describe('the thinking memory', () => {
  it('returns a stored text to requests to the same target until it expires', async () => {
    const gateway = gatewayWithMemory();
    const first = await gateway.prepare();
    expect(storedFor(first)).toEqual({});
    first.call?.notes?.keep({ id: 'c1', text: 'thoughts' });
    expect(storedFor(await gateway.prepare())).toEqual({ c1: 'thoughts' });
    gateway.wait(1001);
    expect(storedFor(await gateway.prepare())).toEqual({});
  });

  it('is separate for each key, provider, host, model and credential', async () => {
    const gateway = gatewayWithMemory();
    const firstCase: Case = { caller: { key: makeKey('a') } };
    (await gateway.prepare(firstCase)).call?.notes?.keep({ id: 'c1', text: 'thoughts' });
    const callerCredential = (credential: string, key?: string): Case => ({
      caller: { credential, key: key === undefined ? undefined : makeKey(key) },
      binding: makeBinding('main', { owner: 'caller' }),
    });
    const otherCases: Readonly<Record<string, Case>> = {
      'no key': {},
      'another key': { caller: { key: makeKey('b', { owner: 'key:b' }) } },
      'another slug': { ...firstCase, binding: makeBinding('other') },
      'a virtual key': { ...firstCase, binding: makeBinding('main', { virtualKey: 'v' }) },
      'another host': { ...firstCase, binding: makeBinding('main', { settings: { custom_host: 'https://other.example' } }) },
      'another model': { ...firstCase, body: { ...chat, model: 'other' } },
      "the caller's own credential": callerCredential('sk-mine', 'a'),
    };
    for (const [name, parts] of Object.entries(otherCases)) expect([name, storedFor(await gateway.prepare(parts))]).toEqual([name, {}]);
    expect(storedFor(await gateway.prepare(firstCase))).toEqual({ c1: 'thoughts' });
    (await gateway.prepare(callerCredential('sk-mine'))).call?.notes?.keep({ id: 'c1', text: 'mine' });
    expect(storedFor(await gateway.prepare(callerCredential('sk-mine')))).toEqual({ c1: 'mine' });
    expect(storedFor(await gateway.prepare(callerCredential('sk-other')))).toEqual({});
  });

  it('is separate for callers without keys who have another name, account, or config with a credential', async () => {
    const gateway = gatewayWithMemory();
    const inline = (config: string): Case => ({ leaf: { root: 'inline' }, headers: { 'x-gateway-config': config } });
    const withSettings = (aws_access_key_id: string): Case => ({
      binding: makeBinding('main', { owner: 'caller', settings: { aws_access_key_id } }),
    });
    const cases: readonly Case[] = [
      { caller: { name: 'ada' } },
      { caller: { name: 'bob' } },
      inline('{"api_key":"a"}'),
      inline('{"api_key":"b"}'),
      withSettings('A'),
      withSettings('B'),
    ];
    for (const [n, parts] of cases.entries()) (await gateway.prepare(parts)).call?.notes?.keep({ id: 'c1', text: `thoughts ${n}` });
    for (const [n, parts] of cases.entries()) expect(storedFor(await gateway.prepare(parts))).toEqual({ c1: `thoughts ${n}` });
  });

  it('is absent if it is disabled', async () => {
    expect(storedFor(await gatewayWithMemory(disabled).prepare())).toBe(undefined);
  });

  it('stores a note that was received after it was disabled, however many were received before', async () => {
    const other = gatewayWithMemory();
    (await other.prepare()).call?.notes?.keep({ id: 'c1', text: 'thoughts' });
    const [received] = other.sent as { note: object }[];
    const gateway = gatewayWithMemory();
    for (let n = 0; n < 3; n += 1) {
      expect(storedFor(await gateway.prepare({}, disabled))).toBe(undefined);
      gateway.receive({ ...received, note: { id: `x${n}`, text: 'x'.repeat(512 * 1024) } });
    }
    expect(storedFor(await gateway.prepare({}, disabled))).toBe(undefined);
    gateway.receive(received);
    expect(storedFor(await gateway.prepare())).toEqual({ c1: 'thoughts' });
  });

  it('stores nothing that is received after it was disabled', async () => {
    const other = gatewayWithMemory();
    (await other.prepare()).call?.notes?.keep({ id: 'c1', text: 'thoughts' });
    const gateway = gatewayWithMemory();
    expect(storedFor(await gateway.prepare())).toEqual({});
    expect(storedFor(await gateway.prepare({}, disabled))).toBe(undefined);
    gateway.receive(other.sent[0]);
    expect(storedFor(await gateway.prepare({}, disabled))).toBe(undefined);
    expect(storedFor(await gateway.prepare())).toEqual({});
  });

  it('is absent with a credential that is copied from request headers', async () => {
    const { call } = await gatewayWithMemory().prepare({
      headers: { authorization: 'Bearer sk-own-1' },
      leaf: { forwardHeaders: ['authorization'] },
    });
    expect([call?.credential, call?.notes]).toEqual(['forwarded', undefined]);
  });
});

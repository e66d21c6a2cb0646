import type { NoteBounds } from '#core/model/notes.ts';
import type { Call, Operation } from '#core/provider.ts';
import { describe, expect, it } from 'vitest';
import { type Case, chat, prepare } from '../../test/support/prepare.ts';
import { makeBinding, makeHost, makeKey, makeProvider, makeSnapshot, noon } from '../../test/support/stage-context.ts';

const bounds: NoteBounds = { size: 100_000, perKey: 100_000, ttl: 1000 };
const base = makeProvider().operations['chat/completions'] as Operation;

/** A gateway whose provider asks for the note "c1" of each request, and counts how often it is asked. */
function remembering(over: { readonly thinkingMemory?: NoteBounds | undefined; readonly recalls?: Operation['recalls'] | undefined } = {}) {
  let asked = 0;
  let now = noon;
  const kept = new Map<string, unknown>();
  const shared = <T>(key: string, create: () => T): T => {
    if (!kept.has(key)) kept.set(key, create());
    return kept.get(key) as T;
  };
  const host = makeHost({ shared, now: () => now });
  const recalls: Operation['recalls'] = (body, call) => {
    asked += 1;
    return over.recalls === undefined ? ['c1'] : over.recalls(body, call);
  };
  const provider = makeProvider({ operations: { 'chat/completions': { ...base, recalls } } });
  const thinkingMemory = 'thinkingMemory' in over ? over.thinkingMemory : bounds;
  const snapshot = makeSnapshot();
  return {
    asked: () => asked,
    wait: (ms: number) => {
      now += ms;
    },
    provider,
    prepare: (parts: Case = {}) =>
      prepare({
        binding: makeBinding('main', { provider }),
        host,
        snapshot: { ...snapshot, server: { ...snapshot.server, thinkingMemory } },
        ...parts,
      }),
  };
}

const notesOf = (call: Call | undefined): unknown => (call?.notes === undefined ? undefined : Object.fromEntries(call.notes));

describe('what is remembered of a response', () => {
  it('is handed to the next request of the same place', async () => {
    const gateway = remembering();
    const first = await gateway.prepare();
    expect(notesOf(first.attempt.call)).toEqual({});
    first.attempt.notes?.keep({ id: 'c1', text: 'thoughts' });
    expect(notesOf((await gateway.prepare()).attempt.call)).toEqual({ c1: 'thoughts' });
    gateway.wait(1001);
    expect(notesOf((await gateway.prepare()).attempt.call)).toEqual({});
  });

  it('is not there for any other place', async () => {
    const gateway = remembering();
    const { provider } = gateway;
    const mine: Case = { caller: { key: makeKey('a') } };
    (await gateway.prepare(mine)).attempt.notes?.keep({ id: 'c1', text: 'thoughts' });
    const own = (credential: string, key?: string): Case => ({
      caller: { credential, key: key === undefined ? undefined : makeKey(key) },
      binding: makeBinding('main', { provider, owner: 'caller' }),
    });
    const others: Readonly<Record<string, Case>> = {
      'no key': {},
      'another key': { caller: { key: makeKey('b', { owner: 'key:b' }) } },
      'another slug': { ...mine, binding: makeBinding('other', { provider }) },
      'a virtual key': { ...mine, binding: makeBinding('main', { provider, virtualKey: 'v' }) },
      'another host': { ...mine, binding: makeBinding('main', { provider, settings: { custom_host: 'https://other.example' } }) },
      'another model': { ...mine, body: { ...chat, model: 'other' } },
      "the caller's own credential": own('sk-mine', 'a'),
    };
    for (const [name, parts] of Object.entries(others))
      expect([name, notesOf((await gateway.prepare(parts)).attempt.call)]).toEqual([name, {}]);
    expect(notesOf((await gateway.prepare(mine)).attempt.call)).toEqual({ c1: 'thoughts' });
    (await gateway.prepare(own('sk-mine'))).attempt.notes?.keep({ id: 'c1', text: 'mine' });
    expect(notesOf((await gateway.prepare(own('sk-mine'))).attempt.call)).toEqual({ c1: 'mine' });
    expect(notesOf((await gateway.prepare(own('sk-other'))).attempt.call)).toEqual({});
  });

  it('is nothing where the memory is off, and the provider is not even asked', async () => {
    const gateway = remembering({ thinkingMemory: undefined });
    const { attempt } = await gateway.prepare();
    expect([attempt.notes, attempt.call?.notes, gateway.asked()]).toEqual([undefined, undefined, 0]);
  });

  it('is nothing where the provider asks for nothing, or has no such operation', async () => {
    const { attempt } = await remembering({ recalls: () => undefined }).prepare();
    expect([attempt.notes, attempt.call?.notes]).toEqual([undefined, undefined]);
    const plain = await prepare({});
    expect([plain.attempt.notes, plain.attempt.call?.notes]).toEqual([undefined, undefined]);
  });

  it('is nothing under a credential that is copied from the headers', async () => {
    const gateway = remembering();
    const { attempt } = await gateway.prepare({
      headers: { authorization: 'Bearer sk-own-1' },
      leaf: { forwardHeaders: ['authorization'] },
    });
    expect([attempt.call?.credential, attempt.notes, gateway.asked()]).toEqual(['forwarded', undefined, 0]);
  });
});

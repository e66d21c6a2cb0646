import type { ModelEvent, WireEvent } from '../../src/core/events.ts';
import type { Translation } from '../../src/core/provider.ts';
import { collectChat } from '../../src/formats/openai-chat/collect.ts';
import { providers } from '../../plugins/index.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixtures } from './response-fixtures.ts';
import { begin, callOf } from './call.ts';
import { samples } from './samples.ts';

/** An attempt at a chat whose response the test provides. */
const chats = providers.map((provider) => {
  const settings = samples[provider.type]?.[0]?.settings ?? {};
  return { type: provider.type, chat: (stream: boolean) => begin(provider, callOf({ settings, stream, model: 'model-1' })) };
});

const converted = chats.filter(({ chat }) => chat(true).reader !== undefined && chat(true).local === undefined);

it('has a response for each format that is converted', () => {
  expect(converted.map(({ type }) => type).toSorted()).toEqual(Object.keys(fixtures).toSorted());
});

/** The events that the reader returns, and what the tap recorded. */
function watched(attempt: Translation, events: readonly WireEvent[]) {
  const { tap } = attempt;
  const stream = attempt.reader?.();
  const read: ModelEvent[] = [];
  const kinds = events.map((event) => {
    const plain = tap.unwrap?.(event) ?? event;
    read.push(...(stream?.push(plain) ?? []));
    return tap.event(plain);
  });
  return { tap, kinds, read: [...read, ...(stream?.end() ?? [])] };
}

describe.each(converted.filter(({ type }) => fixtures[type] !== undefined))('a response of $type', ({ type, chat }) => {
  const { whole, events, text, usage } = fixtures[type] as (typeof fixtures)[string];
  const wire = events.map(([name, data]): WireEvent => ({ name, data: JSON.stringify(data) }));
  const expected = { choices: [{ message: { content: text }, finish_reason: 'stop' }], usage: { prompt_tokens: usage.prompt } };

  it('has the same content with and without streaming', () => {
    const one = chat(false);
    const body = JSON.stringify(whole);
    expect(one.tap.whole(body)).toBeUndefined();
    expect(one.result?.(body, one.tap.answer)).toMatchObject(expected);
    const { tap, read } = watched(chat(true), wire);
    expect(collectChat(read, callOf())).toMatchObject(expected);
    for (const parser of [one.tap, tap]) expect(parser).toMatchObject({ complete: true, usage, fault: undefined });
    expect(tap.finish).toEqual(one.tap.finish);
  });

  it('commits with its first content and ends with an error if the stream is cut', () => {
    for (let length = 0; length < wire.length; length += 1) {
      const { tap, kinds, read } = watched(chat(true), wire.slice(0, length));
      const hasText = read.some((event) => event.type === 'text' && event.text !== '');
      expect(kinds.includes('content'), `after ${length}`).toBe(hasText);
      expect(read.at(-1)?.type === 'error', `after ${length}`).toBe(!tap.complete);
    }
  });

  it('is read without an exception whatever the events contain', () => {
    const mutation = fc.tuple(fc.nat({ max: wire.length - 1 }), fc.oneof(fc.json(), fc.string()));
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 3 }), (changes) => {
        const corrupted = [...wire];
        for (const [at, data] of changes) corrupted[at] = { name: wire[at]?.name ?? '', data };
        expect(watched(chat(true), corrupted).tap.contentEvents).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

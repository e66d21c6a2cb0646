import { describe, expect, it } from 'vitest';
import { rules } from '../../../../test/support/redaction.ts';
import { BodyRedactor } from '../index.ts';

const limit = 1 << 20;
const newRedactor = (own = false): BodyRedactor =>
  new BodyRedactor({ ...rules, fields: [], own: own ? [{ source: 'never', each: () => {} }] : [] }, []);
const source = (text: string) => ({ start: (length: number) => Buffer.from(text.slice(0, length), 'latin1') });

const message = (content: string): string => `{"role":"user","content":"${content}"}`;
const words = (count: number): string => 'plain words '.repeat(count);
const conversation = (...more: string[]): string =>
  `{"model":"m","messages": [${[message(words(1000)), message('to jane@example.com'), message(words(1000)), ...more].join(' , ')}],"n":1}`;

/** Masks the text as the thread does, and hands what it found to another redactor. */
function teach(thread: BodyRedactor, other: BodyRedactor, text: string): boolean {
  const { edits } = thread.begin(limit).request(text, source(text));
  if (edits !== undefined) other.begin(limit).remember(text, edits);
  return edits !== undefined;
}

describe('a large request', () => {
  it('is new until most of it has been in two requests', () => {
    const [thread, main] = [newRedactor(), newRedactor()];
    const [text, longer] = [conversation(), conversation(message('and joe@example.com'))];
    const sizeOf = (one: string, most = limit): number => main.begin(limit).sizeOfNew(one, source(one), most);
    expect([teach(thread, main, text), sizeOf(text)]).toEqual([false, text.length]);
    expect([teach(thread, main, longer), sizeOf(text) < 100, sizeOf(longer) < 100]).toEqual([true, true, true]);
    const added = message(words(300));
    expect(sizeOf(conversation(added))).toBe(added.length + sizeOf(text) + ' , '.length);
    // Counting stops there.
    expect(sizeOf(conversation(added, message(words(900))), 2000)).toBeLessThan(6000);
    expect(sizeOf(conversation(added, message(words(900))), 2000)).toBeGreaterThan(2000);
  });

  it('is masked with what was remembered', () => {
    const [thread, main] = [newRedactor(), newRedactor()];
    const text = conversation(message('and joe@example.com'));
    teach(thread, main, text);
    teach(thread, main, text);
    const longer = conversation(message('and joe@example.com'), message('and ann@example.com'));
    const [known, fresh] = [main.begin(limit), newRedactor().begin(limit)];
    expect(known.request(longer, source(longer))).toMatchObject({
      body: { bytes: (fresh.request(longer).body as { bytes: Buffer }).bytes },
    });
    expect([known.counts, fresh.counts]).toEqual([{ email: 3 }, { email: 3 }]);
  });

  it.each([
    ['with patterns of the operator', conversation(), newRedactor(true), limit],
    ['beyond the limit of the log', conversation(), newRedactor(), 10_000],
    ['that is not an object', `[${conversation()}]`, newRedactor(), limit],
    ['without lists', `{"prompt":"${words(2000)}","messages":{"a":"${words(100)}"}}`, newRedactor(), limit],
    ['that breaks off', conversation().slice(0, 100), newRedactor(), limit],
  ])('%s is always new', (_, text, redactor, most) => {
    for (let n = 0; n < 2; n += 1) {
      redactor.begin(most).request(text, source(text));
      expect(redactor.begin(most).sizeOfNew(text, source(text), limit)).toBe(text.length);
    }
  });
});

import { describe, expect, test } from 'vitest';
import { AlikeEvents } from './alike-events.ts';

const first = '{"parts":[{"text": "Hel"}],"index":0,"usage": {"total": 25,"parts": [{"kind":"T1","n":3}]},"id":"a1"}';

function learned(data = first, text = 'Hel'): AlikeEvents {
  const events = new AlikeEvents('text', 'usage');
  expect(events.learn(data, text)).toBe(true);
  return events;
}

describe('an event like the one that was learned', () => {
  test.each([
    ['with the same text', first, 'Hel'],
    ['with another text', first.replace('Hel', 'lo, wörld'), 'lo, wörld'],
    ['with no text', first.replace('Hel', ''), ''],
    ['with escapes', first.replace('Hel', String.raw`a\n\"b\" \\`), 'a\n"b" \\'],
    ['with an escaped pair of surrogates', first.replace('Hel', String.raw`\ud83d\ude00`), '😀'],
    ['with other counts', first.replace('25', '1024').replace('"n":3', '"n":17'), 'Hel'],
  ])('%s', (_, data, text) => {
    expect(learned().textIn(data)).toBe(text);
  });
});

describe('every other event', () => {
  test.each([
    ['a number beside the counts', first.replace('"index":0', '"index":1')],
    ['a member more', first.replace('"index":0', '"index":0,"end":true')],
    ['a count more', first.replace('"total": 25', '"total": 25,"more": 1')],
    ['a count that is none', first.replace('25', 'null')],
    ['digits of a string in the counts', first.replace('T1', 'T2')],
    ['digits of a string behind them', first.replace('a1', 'a2')],
    ['a second text', first.replace('}],"index"', '},{"text":"x"}],"index"')],
    ['something behind it', `${first} `],
    ['an end inside of the text', first.slice(0, 22)],
    ['an end inside of the counts', first.slice(0, 60)],
    ['a text that is no JSON', first.replace('Hel', String.raw`\x`)],
    ['nothing', ''],
  ])('%s', (_, data) => {
    expect(learned().textIn(data)).toBeUndefined();
  });
});

describe('what is not learned', () => {
  test.each([
    ['an event with two texts', '{"a":{"text":"x"},"b":{"text":"x"}}', 'x'],
    ['a text that is another one', '{"b":{"text":"y"}}', 'x'],
    ['an event without a text', '{"b":1}', ''],
    ['an event whose text is no string', '{"text":1}', '1'],
    ['a long event', `{"text":"x","long":"${'-'.repeat(16 * 1024)}"}`, 'x'],
  ])('%s', (_, data, text) => {
    const events = new AlikeEvents('text', 'usage');
    expect(events.learn(data, text)).toBe(false);
    expect(events.textIn(data)).toBeUndefined();
  });

  test('no more than sixteen, and the last of them stays', () => {
    const events = new AlikeEvents('text', 'usage');
    for (let i = 1; i <= 16; i += 1) expect(events.learn(`{"text":"x","i":${i}}`, 'x')).toBe(true);
    expect(events.learn('{"text":"x","i":17}', 'x')).toBe(false);
    expect(events.textIn('{"text":"y","i":16}')).toBe('y');
    expect(events.textIn('{"text":"y","i":17}')).toBeUndefined();
  });
});

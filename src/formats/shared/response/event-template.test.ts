import { describe, expect, test } from 'vitest';
import { EventTemplate } from './event-template.ts';

const first = '{"parts":[{"text": "Hel"}],"index":0,"usage": {"total": 25,"parts": [{"kind":"T1","n":3}]},"id":"a1"}';

function templateOf(data = first, text = 'Hel'): EventTemplate {
  const events = new EventTemplate('text', 'usage');
  expect(events.learn(data, text)).toBe(true);
  return events;
}

describe('EventTemplate reads an event similar to the learned one', () => {
  test.each([
    ['with the same text', first, 'Hel'],
    ['with another text', first.replace('Hel', 'lo, wörld'), 'lo, wörld'],
    ['with no text', first.replace('Hel', ''), ''],
    ['with escapes', first.replace('Hel', String.raw`a\n\"b\" \\`), 'a\n"b" \\'],
    ['with an escaped pair of surrogates', first.replace('Hel', String.raw`\ud83d\ude00`), '😀'],
    ['with other counts', first.replace('25', '1024').replace('"n":3', '"n":17'), 'Hel'],
  ])('%s', (_, data, text) => {
    expect(templateOf().textIn(data)).toBe(text);
  });
});

describe('EventTemplate does not read an event with', () => {
  test.each([
    ['another number next to the counts', first.replace('"index":0', '"index":1')],
    ['an additional member', first.replace('"index":0', '"index":0,"end":true')],
    ['an additional count', first.replace('"total": 25', '"total": 25,"more": 1')],
    ['a count that is not a number', first.replace('25', 'null')],
    ['other digits in a string of the counts', first.replace('T1', 'T2')],
    ['other digits in a string after the counts', first.replace('a1', 'a2')],
    ['a second text', first.replace('}],"index"', '},{"text":"x"}],"index"')],
    ['text after the event', `${first} `],
    ['a truncated text', first.slice(0, 22)],
    ['truncated counts', first.slice(0, 60)],
    ['a text that is not JSON', first.replace('Hel', String.raw`\x`)],
    ['no data', ''],
  ])('%s', (_, data) => {
    expect(templateOf().textIn(data)).toBeUndefined();
  });
});

describe('EventTemplate does not learn', () => {
  test.each([
    ['an event with two texts', '{"a":{"text":"x"},"b":{"text":"x"}}', 'x'],
    ['an event with another text', '{"b":{"text":"y"}}', 'x'],
    ['an event without a text', '{"b":1}', ''],
    ['an event whose text is not a string', '{"text":1}', '1'],
    ['a long event', `{"text":"x","long":"${'-'.repeat(16 * 1024)}"}`, 'x'],
  ])('%s', (_, data, text) => {
    const events = new EventTemplate('text', 'usage');
    expect(events.learn(data, text)).toBe(false);
    expect(events.textIn(data)).toBeUndefined();
  });

  test('more than sixteen events; the sixteenth stays in use', () => {
    const events = new EventTemplate('text', 'usage');
    for (let i = 1; i <= 16; i += 1) expect(events.learn(`{"text":"x","i":${i}}`, 'x')).toBe(true);
    expect(events.learn('{"text":"x","i":17}', 'x')).toBe(false);
    expect(events.textIn('{"text":"y","i":16}')).toBe('y');
    expect(events.textIn('{"text":"y","i":17}')).toBeUndefined();
  });
});

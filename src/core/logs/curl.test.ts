import { describe, expect, it } from 'vitest';
import { sampleRecord } from '../../store/fixtures/sample.ts';
import { curlOf } from './curl.ts';
import { keptText } from './kept-text.ts';

describe('a recorded body for a shell', () => {
  const encoder = new TextEncoder();
  const whole = '{"text":"ä’s"}';
  it.each<[string, Uint8Array, number, string]>([
    ['a text', encoder.encode(whole), 0, String.raw`--data-raw '{"text":"ä’s"}'`],
    ['a text in quotes', encoder.encode("it's"), 0, String.raw`--data-raw 'it'\''s'`],
    ['what was cut', encoder.encode(whole).subarray(0, 10), 6, '--data-binary @body'],
    ['sound', Uint8Array.of(0xff, 0xfb, 0x90), 0, '--data-binary @body'],
    ['a NUL', Uint8Array.of(0x61, 0, 0x62), 0, '--data-binary @body'],
  ])('%s is an argument where a shell can pass all of it on', (_name, body, missing, argument) => {
    const base = sampleRecord();
    const info = { size: body.length + missing, kept: body.length, sha256: null, same_as: null, patch: null, chunks: null };
    const record = { ...base, request: { ...base.request, body: info } };
    expect(curlOf(record, 'http://gateway', body).split(' \\\n  ').at(-1)).toBe(argument);
  });
});

it('a text that was cut within a character is one, up to it', () => {
  expect(keptText(Uint8Array.of(0x61, 0xe2, 0x80))).toBe('a');
  expect(keptText(Uint8Array.of(0x61, 0xe2, 0x28, 0xa1))).toBeUndefined();
});

import { describe, expect, it } from 'vitest';
import { sampleRecord } from '../../store/fixtures/sample.ts';
import { curlOf } from './curl.ts';
import { decodeText } from './decode-text.ts';

describe('the body argument of curlOf', () => {
  const encoder = new TextEncoder();
  const completeBody = '{"text":"ä’s"}';
  it.each<[string, Uint8Array, number, string]>([
    ['a text', encoder.encode(completeBody), 0, String.raw`--data-raw '{"text":"ä’s"}'`],
    ['a text in quotes', encoder.encode("it's"), 0, String.raw`--data-raw 'it'\''s'`],
    ['a truncated text', encoder.encode(completeBody).subarray(0, 10), 6, '--data-binary @body'],
    ['audio', Uint8Array.of(0xff, 0xfb, 0x90), 0, '--data-binary @body'],
    ['a NUL', Uint8Array.of(0x61, 0, 0x62), 0, '--data-binary @body'],
  ])('is inline only if a shell can pass all of the body: %s', (_name, body, missing, argument) => {
    const base = sampleRecord();
    const bodyInfo = { size: body.length + missing, kept: body.length, sha256: null, same_as: null, patch: null, chunks: null };
    const record = { ...base, request: { ...base.request, body: bodyInfo } };
    expect(curlOf(record, 'http://gateway', body).split(' \\\n  ').at(-1)).toBe(argument);
  });
});

it('keptText drops a character that was truncated at the end, and returns undefined for bytes that are not text', () => {
  expect(decodeText(Uint8Array.of(0x61, 0xe2, 0x80))).toBe('a');
  expect(decodeText(Uint8Array.of(0x61, 0xe2, 0x28, 0xa1))).toBeUndefined();
});

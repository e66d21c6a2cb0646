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
    expect(curlOf(record, { url: 'http://gateway', headerPrefixes: [] }, body).split(' \\\n  ').at(-1)).toBe(argument);
  });

  it('uses the same variable for the API key in a header of every configured prefix, and no key for other hosts', () => {
    const base = sampleRecord();
    const headers = { 'x-acme-api-key': '***', 'x-portkey-api-key': '***', 'x-vendor-api-key': '***' };
    const command = curlOf(
      { ...base, request: { ...base.request, headers } },
      { url: 'http://gateway', headerPrefixes: ['x-acme-'] },
      undefined,
    );
    expect(command.split(' \\\n  ').filter((part) => part.startsWith('-H'))).toEqual([
      '-H "x-acme-api-key: $GATEWAY_API_KEY"',
      `-H 'x-portkey-api-key: '"$X_PORTKEY_API_KEY"`,
      `-H 'x-vendor-api-key: '"$X_VENDOR_API_KEY"`,
    ]);
  });
});

it('decodeText drops a character that was truncated at the end, and returns undefined for bytes that are not text', () => {
  expect(decodeText(Uint8Array.of(0x61, 0xe2, 0x80))).toBe('a');
  expect(decodeText(Uint8Array.of(0x61, 0xe2, 0x28, 0xa1))).toBeUndefined();
});

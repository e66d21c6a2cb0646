import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oneByte, rules } from '../../../../test/support/redaction.ts';
import { BodyRedactor, type Redaction } from '../index.ts';

/** Elements of lists: plain, with something to mask, and written in unusual ways. */
const elements = [
  '{"role":"user","content":"hello there"}',
  '{"role":"user","content":"call me at +49 30 1234567 or jane.doe@example.com"}',
  String.raw`{"role":"user","content":"my key is sk-abcdefghijklmnopqrstuvwxyz0123\nand jane@example.com"}`,
  '{"role":"assistant","content":null,"tool_calls":[{"id":"call_A1b2C3d4E5f6G7h8I9j0","function":{"arguments":"{\\"to\\":\\"a@b.example\\"}"}}]}',
  '{"role":"tool","content":[{"type":"text","text":"4111 1111 1111 1111"},{"type":"text","text":"plain"}]}',
  '{"type":"function","function":{"name":"send","parameters":{"password":"hunter2-and-more"}}}',
  '{ "role" : "user" , "content" : "Grüße an jörg@example.com" }',
  '{"name":"API_KEY","value":"abcdefgh12345678"}',
  '{"value":"abcdefgh12345678"}',
  '{"api_key":"abc"}',
  '{"token":"x","list":["abcdefgh12345678",4111111111111111]}',
  '{}',
  '"abcdefgh12345678"',
  '"jane.doe@example.com"',
  '4111111111111111',
  '[{"role":"user","content":"jane@example.com"}]',
  `{"role":"user","content":"${'plain words of a long message, '.repeat(9)}5551234567"}`,
];
/** What follows an incomplete element may look like the rest of another one. */
const brokenElements = [
  '{"role":"user","content":"jane',
  '{"role":"user"',
  '{"a":1]',
  '}',
  '{"a":"b"}"abcdefgh12345678"',
  'password: abcdefgh12345678',
];

/** Small requests are searched as a whole. */
const filler = `{"role":"system","content":"${'Some plain words of an instruction. '.repeat(500)}"}`;

const list = (valid: boolean): fc.Arbitrary<string> =>
  fc
    .tuple(fc.array(fc.constantFrom(...elements, ...(valid ? [] : brokenElements)), { maxLength: 6 }), fc.constantFrom(',', ', ', ',\n  '))
    .map(([items, comma]) => ['FILLER', ...items].join(comma));

/** @param valid false: also incomplete elements, and a body that is cut */
const request = (valid: boolean): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom('messages', 'input', 'contents'), list(valid), list(valid), fc.constantFrom('', '"prompt":"jane@example.com",'))
    .map(([name, messages, tools, prompt]) => `{"model":"m",${prompt}"${name}":[${messages}],"tools":[${tools}],"user":"a@b.example"}`)
    .chain((json) => (valid ? fc.constant(json) : fc.nat(json.length).map((cut) => json.slice(0, json.length - cut))));

const newRedactor = (): BodyRedactor => new BodyRedactor({ ...rules, fields: [] }, ['known-secret-of-the-file']);

/** All that a request is stored as. */
function stored(redaction: Redaction, json: string): object {
  const { body, preview } = redaction.request(oneByte(json.replaceAll('FILLER', filler)));
  if (body === 'too-large') return { body };
  const offsets = [0, filler.length, json.length].map((offset) => body.moved(offset));
  return { text: body.bytes.toString('utf8').replaceAll(filler, 'FILLER'), isCut: body.isCut, preview, counts: redaction.counts, offsets };
}

describe('the elements of lists', () => {
  it.each([true, false])('are masked as if none were known (valid JSON: %s)', (valid) => {
    fc.assert(
      fc.property(fc.array(request(valid), { minLength: 2, maxLength: 5 }), (requests) => {
        const [redactor, other] = [newRedactor(), newRedactor()];
        for (const json of [...requests, ...requests]) {
          const expected = stored(newRedactor().begin(1 << 20), json);
          expect(stored(redactor.begin(1 << 20), json)).toEqual(expected);
          const text = oneByte(json.replaceAll('FILLER', filler));
          const { edits } = redactor.begin(1 << 20).request(text);
          if (edits !== undefined) other.begin(1 << 20).remember(text, edits);
          expect(stored(other.begin(1 << 20), json)).toEqual(expected);
        }
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    [
      'an element that takes over the last name of the object before it',
      '{"key":"a"},{}',
      '{"key":"a"},"AbCdEf0123456789AbCdEf0123456789"',
    ],
    ['an incomplete element', '{"role":"user","content":"to jane@example', '{"role":"user","content":"to jane@example.com"}'],
    [
      'another element with the same checksum',
      '{"role":"user","content":"plain lgcjdpio"}',
      '{"role":"user","content":"jane@example.com aohcbmgf"}',
    ],
  ])('are masked again in %s', (_, first, second) => {
    const redactor = newRedactor();
    const wholeList = (elements: string): string => `{"messages":[FILLER,${elements}${elements.endsWith('e') ? '' : ']}'}`;
    stored(redactor.begin(1 << 20), wholeList(first));
    const json = wholeList(second);
    const whole = stored(redactor.begin(1 << 20), json);
    expect(whole).toEqual(stored(newRedactor().begin(1 << 20), json));
    expect(whole).toMatchObject({ text: expect.stringMatching(/\[(?:secret|email)\]/) });
  });
});

import { describe, expect, it } from 'vitest';
import { masked, oneByte } from '../../../../test/support/redaction.ts';
import { namedPatterns } from '../find/hits.ts';
import { BodyRedactor } from '../index.ts';

/** Values that are masked are between ‹ and ›. */
const found: readonly string[] = [
  '{"login":"jo","pass":"‹hunter›"}',
  '{"auth":{"user":"jo","pass":"‹h1›"}}',
  '{"dbPass" : "‹hunter›","DB_PASS":"‹1234567›"}',
  '[{"name":"DB_PASS","value":"‹hunter›"}]',
  '{"passcode":"‹hunter›","app_key":"‹abc›","applicationKey":"‹abc›"}',
  '{"password":‹12345678›,"n":12345678}',
  '{"secret" : ‹4711› }',
  '{"pin":"‹4711›","user_pin":‹471100›,"otp":"‹123456›","cvv":‹123›,"cvc2":"‹1234›"}',
  '{"auths":{"r.example":{"auth":"‹am86aHVudGVyMng=›"}}}',
  '{"data":{".dockerconfigjson":"‹e30=›"}}',
  '{"passwords":["‹hunter22›","x"],"api_keys":["‹abc12345›"]}',
];

const clean: readonly string[] = [
  '{"pass":true,"fail":3,"n":12}',
  '{"pass":"passed","first_pass":"done","to_pass":"partial","fail":"failed"}',
  '{"pass":"all of the tests","bypass":"hunter2","compass":"north"}',
  '{"password":12,"secret":1.5,"cookie":12e7}',
  '{"pin":13,"pins":4711,"cvv":12345,"otp":"a1b2","login":4711}',
  '{"auth":"basic","oauth":"am86aHVudGVyMng=","authority":"am86aHVudGVyMng="}',
  '{"auth":"bm90IGEgbG9naW4="}',
  '{"passwords":["required","min"],"keys":["abc12345"],"max_tokens":4096}',
  '{"signature":"abcdefghijklmnop1"}',
];

const marked = /"‹([^›]*)›"|‹([^›]*)›/g;

describe('members whose value decides whether it is masked', () => {
  it.each(found)('are masked in %s', (text) => {
    const body = text.replaceAll(/[‹›]/g, '');
    expect(masked(body).text).toBe(text.replaceAll(marked, '"[secret]"'));
    expect(masked(body, { own: [{ source: 'x', each: () => {} }] }).text).toBe(text.replaceAll(marked, '"[secret]"'));
  });

  it.each(clean)('are not masked in %s', (text) => {
    expect(masked(text)).toMatchObject({ text, counts: {} });
  });

  it.each([
    ['{"pass":"ok","n":"a"}', '{"pass":"hunter2","n":"a"}', '{"pass":"[secret]","n":"a"}'],
    ['{"password":12,"n":"a"}', '{"password":4711,"n":"a"}', '{"password":"[secret]","n":"a"}'],
    ['{"pin":13,"n":"a"}', '{"pin":4711,"n":"a"}', '{"pin":"[secret]","n":"a"}'],
  ])('are masked in a stream after similar events: %s, %s', (other, event, expected) => {
    const lines = (last: string): string =>
      [other, other.replace('"a"', '"b"'), other.replace('"a"', '"c"'), last].map((one) => `data: ${one}\n\n`).join('');
    const redactor = new BodyRedactor({ fields: [], patterns: new Set(namedPatterns), own: [], media: 'digest' }, []);
    const bytes = Buffer.from(oneByte(lines(event)), 'latin1');
    const redacted = redactor.begin(1 << 20).response({ pieces: [bytes], size: bytes.length, contentType: 'text/event-stream' });
    expect(String((redacted as { bytes: Buffer }).bytes)).toBe(lines(expected));
  });
});

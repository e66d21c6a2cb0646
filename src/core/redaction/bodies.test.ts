import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { masked, oneByte, ownPattern, rules } from '../../../test/support/redaction.ts';
import { BodyRedactor } from './index.ts';

/** Writes each character of the text as an escape. */
const codes = (text: string): string => text.replaceAll(/./g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

describe('BodyRedactor with a JSON body', () => {
  const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(3000, 7)]);
  const digest = `[media image/png, ${png.length} bytes, sha256 ${createHash('sha256').update(png).digest('hex')}]`;

  it.each<[string, unknown, unknown, object]>([
    ['a field', { user: 'u1', x: { user: 'u2' } }, { user: '[field]', x: { user: 'u2' } }, { field: 1 }],
    ['a field that is not a string', { user: { id: [1, { a: 2 }] }, b: 1 }, { user: '[field]', b: 1 }, { field: 1 }],
    ['a field that is null', { user: null }, { user: null }, {}],
    [
      'a field of each element',
      { messages: [{ name: 'a' }, { role: 'user' }, { name: 'b' }] },
      { messages: [{ name: '[field]' }, { role: 'user' }, { name: '[field]' }] },
      { field: 2 },
    ],
    ['not a field with the same name elsewhere', { messages: { name: 'a' }, name: 'b' }, { messages: { name: 'a' }, name: 'b' }, {}],
    [
      'a member with the name of a secret',
      { tools: [{ server: { Authorization: 'x', apiKey: 'y', api_key: 'z', token: 'hi' } }] },
      { tools: [{ server: { Authorization: '[secret]', apiKey: '[secret]', api_key: '[secret]', token: 'hi' } }] },
      { secret: 3 },
    ],
    [
      'a member with another name of a secret',
      {
        mcp_servers: [{ authorization_token: 'abc' }],
        h: { 'X-Auth-Token': 'a', Cookie: 'b', 'Ocp-Apim-Subscription-Key': 'c', dbPassword: 'd' },
      },
      {
        mcp_servers: [{ authorization_token: '[secret]' }],
        h: { 'X-Auth-Token': '[secret]', Cookie: '[secret]', 'Ocp-Apim-Subscription-Key': '[secret]', dbPassword: '[secret]' },
      },
      { secret: 5 },
    ],
    [
      'no member with a similar name',
      { next_page_token: 'a1', valid_token: 'b', monkey: 'c', max_tokens: 5, eos_token: '</s>', cache_key: 'd', keys: 'e', passwords: 'f' },
      { next_page_token: 'a1', valid_token: 'b', monkey: 'c', max_tokens: 5, eos_token: '</s>', cache_key: 'd', keys: 'e', passwords: 'f' },
      {},
    ],
    [
      'a member name that looks like a secret',
      {
        authentication: { type: 'api_key', key: 'AbCdEf0123456789AbCdEf0123456789' },
        other: { key: 'a-name-of-something' },
        token: 'hello there',
      },
      { authentication: { type: 'api_key', key: '[secret]' }, other: { key: 'a-name-of-something' }, token: 'hello there' },
      { secret: 1 },
    ],
    [
      'the value of a pair whose name is that of a secret',
      {
        env: [
          { name: 'API_KEY', value: 'abc' },
          { name: 'REGION', value: 'eu' },
          { Name: 'DB_PASSWORD', Value: 'x y' },
        ],
        headers: [
          { key: 'Authorization', value: 'Bearer abc' },
          { value: 'abc', name: 'API_KEY' },
        ],
        parameters: [{ ParameterKey: 'ClientSecret', ParameterValue: 'hunter2' }],
      },
      {
        env: [
          { name: 'API_KEY', value: '[secret]' },
          { name: 'REGION', value: 'eu' },
          { Name: 'DB_PASSWORD', Value: '[secret]' },
        ],
        headers: [
          { key: 'Authorization', value: '[secret]' },
          { value: '[secret]', name: 'API_KEY' },
        ],
        parameters: [{ ParameterKey: 'ClientSecret', ParameterValue: '[secret]' }],
      },
      { secret: 5 },
    ],
    [
      'a name-value pair of a secret inside a string',
      {
        yaml: 'env:\n  - name: API_KEY\n    value: abc12345\n  - name: REGION\n    value: eu12345678\n',
        json: '[{"name":"API_KEY","value":"abc"},\n{"name": "DB_PASSWORD",\n  "value": "it\\"s"}]',
        xml: '<add key="ApiKey" value="abc12345"/> <add key="Color" value="abc12345"/>',
      },
      {
        yaml: 'env:\n  - name: API_KEY\n    value: [secret]\n  - name: REGION\n    value: eu12345678\n',
        json: '[{"name":"API_KEY","value":"[secret]"},\n{"name": "DB_PASSWORD",\n  "value": "[secret]"}]',
        xml: '<add key="ApiKey" value="[secret]"/> <add key="Color" value="abc12345"/>',
      },
      { secret: 4 },
    ],
    ['keys in a list', { key: ['AbCdEfGhIjKlMnOp1rSt2uvw'] }, { key: ['[secret]'] }, { secret: 1 }],
    [
      'names of members',
      {
        'jane@example.com': 1,
        balances: { DE89370400440532013000: [2], '4111111111111111': { a: 3 } },
        'sk-abcdefghijklmnopqrstuvwxyz0123': null,
        'é@example.com': 'x',
        parameter_number_12: 4,
      },
      { '[email]': 'x', balances: { '[iban]': [2], '[credit_card]': { a: 3 } }, '[secret]': null, parameter_number_12: 4 },
      { email: 2, iban: 1, credit_card: 1, secret: 1 },
    ],
    [
      'a JSON schema with a property named like a secret',
      { properties: { password: { type: 'string' } } },
      { properties: { password: { type: 'string' } } },
      {},
    ],
    [
      'a card that is a number',
      { card: 4111111111111111, other: 4111111111111112 },
      { card: '[credit_card]', other: 4111111111111112 },
      { credit_card: 1 },
    ],
    [
      'a number with a fraction of zero',
      '{"card":4111111111111111.0,"other":4111111111111112.0,"phone":5551234567.00,"n":5551234567.0}',
      '{"card":"[credit_card]","other":4111111111111112.0,"phone":"[phone]","n":5551234567.0}',
      { credit_card: 1, phone: 1 },
    ],
    [
      'a number in a member named like a phone number',
      { phone: 5551234567, mobile: '5551234567', id: 5551234567, no: '5551234567' },
      { phone: '[phone]', mobile: '[phone]', id: 5551234567, no: '5551234567' },
      { phone: 2 },
    ],
    ['JSON in a text', { arguments: '{"to":"a@example.com","n":1}' }, { arguments: '{"to":"[email]","n":1}' }, { email: 1 }],
    ['line breaks around', { c: 'a\nb@example.com\n+49 30 1234567\r\n' }, { c: 'a\n[email]\n[phone]\r\n' }, { email: 1, phone: 1 }],
    ['an image', { url: `data:image/png;base64,${png.toString('base64')}` }, { url: digest }, { media: 1 }],
    [
      'an image in a text',
      { c: `see ![x](data:image/png;base64,${png.toString('base64')}) of a@example.com` },
      { c: `see ![x](${digest}) of [email]` },
      { media: 1, email: 1 },
    ],
    [
      'an image in lines in a text',
      { c: `see data:image/png;base64,${png.toString('base64').replaceAll(/(.{76})/g, '$1\r\n')}\nof a@example.com` },
      { c: `see ${digest}\nof [email]` },
      { media: 1, email: 1 },
    ],
    [
      'text in the line after an image',
      { c: `data:image/png;base64,${png.toString('base64').replace(/=+$/, '')}\nHello` },
      { c: `${digest}\nHello` },
      { media: 1 },
    ],
    ['base64 data without a type', { source: { data: png.toString('base64') } }, { source: { data: digest } }, { media: 1 }],
    ['base64 data in lines', { data: png.toString('base64').replaceAll(/(.{76})/g, '$1\n') }, { data: digest }, { media: 1 }],
    ['a short text of base64', { data: 'AAAA' }, { data: 'AAAA' }, {}],
    ['base64 padding without content', { data: `AAAA${'='.repeat(2000)}` }, { data: `AAAA${'='.repeat(2000)}` }, {}],
    [
      'tokens',
      { choices: [{ logprobs: { content: [{ token: 'a@' }, { token: 'example.com' }] } }], logprobs: true, top_logprobs: 3 },
      { choices: [{ logprobs: '[logprobs]' }], logprobs: true, top_logprobs: 3 },
      { logprobs: 1 },
    ],
    [
      'a body without sensitive data',
      { model: 'gpt-4o', n: 1.5, ok: true, x: null, l: [] },
      { model: 'gpt-4o', n: 1.5, ok: true, x: null, l: [] },
      {},
    ],
  ])('masks the expected parts: %s', (_, body, expected, counts) => {
    const out = masked(body);
    expect(JSON.parse(out.text)).toEqual(typeof expected === 'string' ? JSON.parse(expected) : expected);
    expect(out.counts).toEqual(counts);
    expect(masked(out.text).text).toBe(out.text);
  });

  it.each([
    ['{"a":"x\\u0040example.com y"}', '{"a":"[email] y"}'],
    ['{"a":"j\\u00fcrgen@example.com"}', '{"a":"[email]"}'],
    ['{"\\u0075ser":"x"}', '{"\\u0075ser":"[field]"}'],
    ['{ "user" :\n "x" , "n": 1.0, "big": 12345678901234567890 }', '{ "user" :\n "[field]" , "n": 1.0, "big": 12345678901234567890 }'],
    ['{"a":"a-known-secret\\/of-the-file"}', '{"a":"[secret]"}'],
    ['{"größe":"x","b":{"größe":"y"}}', '{"größe":"[field]","b":{"größe":"y"}}'],
    ['{"gr\\u00f6ße":"x"}', '{"gr\\u00f6ße":"[field]"}'],
    ['{"x\\u0040example.com":"a"}', '{"[email]":"a"}'],
    [`{"${codes('authorization_token')}":"abc"}`, `{"${codes('authorization_token')}":"[secret]"}`],
    [`{"${codes('key')}":"AbCdEf0123456789AbCdEf0123456789"}`, `{"${codes('key')}":"[secret]"}`],
    [`{"${codes('phone')}":5551234567}`, `{"${codes('phone')}":"[phone]"}`],
    ['{"a":"\\\\","b":"x@example.com"}', '{"a":"\\\\","b":"[email]"}'],
    ['{"a":"😀 x@example.com Grüße"}', '{"a":"😀 [email] Grüße"}'],
  ])('masks a value in %s without changing other bytes', (body, expected) => {
    expect(masked(body).text).toBe(expected);
  });

  it.each([1, 2, 3, 4])('masks members of JSON inside of a text, %i levels deep', (levels) => {
    const nest = (level: number): unknown => (level === 0 ? { password: 'hunter2', n: '1' } : { a: JSON.stringify(nest(level - 1)) });
    for (const fields of [[], ['user']]) expect(masked(nest(levels), { fields }).counts).toEqual({ secret: 1 });
  });

  it.each([
    ['keep', (text: string) => text.includes('base64,')],
    ['drop', (text: string) => text === '{"u":"[media]"}'],
    ['digest', (text: string) => text.includes('sha256')],
  ] as const)('replaces media in mode: %s', (media, expectedText) => {
    expect(expectedText(masked({ u: `data:image/png;base64,${png.toString('base64')}` }, { media }).text)).toBe(true);
  });

  it('truncates an oversized body at the limit, without a part of a value', () => {
    const body = { messages: Array.from({ length: 100 }, () => ({ role: 'user', content: `${'x'.repeat(100)} jane.doe@example.com` })) };
    for (let limit = 1000; limit < 1140; limit += 1) {
      const { text, isCut } = masked(body, {}, limit);
      expect([text.length, isCut]).toEqual([limit, true]);
      expect(text).not.toContain('jane');
    }
  });

  it('stops reading a body shortly after the size limit', () => {
    const emailText = 'jane.doe@example.com '.repeat(50_000);
    for (const body of [{ c: emailText }, { c: emailText.replaceAll(' ', '\n') }, { l: emailText.trim().split(' ') }]) {
      const redaction = new BodyRedactor(rules, []).begin(4000);
      const { body: out } = redaction.request(oneByte(JSON.stringify(body)));
      if (out === 'too-large') throw new Error(out);
      expect([out.isCut, out.bytes.length > 2000, out.bytes.length <= 4000]).toEqual([true, true, true]);
      expect(redaction.counts['email']).toBeLessThan(3000);
      expect(out.bytes.toString('latin1')).not.toMatch(/jane|doe|@/);
    }
  });

  it('does not count replaced files in the size limit', () => {
    const url = `data:image/png;base64,${'iVBORw0K'.repeat(2000)}`;
    const hash = createHash('sha256')
      .update(Buffer.from('iVBORw0K'.repeat(2000), 'base64'))
      .digest('hex');
    const image = (imageText: string) => ({
      role: 'user',
      content: [{ text: 'look' }, { image_url: { url: imageText } }, { image_url: { url: imageText } }],
    });
    const { text, isCut, counts, preview } = masked({ messages: [image(url), { x: 'jane@example.com' }] }, {}, 1000);
    const mediaText = `[media image/png, 12000 bytes, sha256 ${hash}]`;
    expect(JSON.parse(text)).toEqual({ messages: [image(mediaText), { x: '[email]' }] });
    expect({ isCut, counts, preview }).toEqual({ isCut: false, counts: { media: 2, email: 1 }, preview: 'look' });
  });

  it.each([0, 1, 7, 500, 4096])('shows no part of a value at the end of a truncated text (shift %i)', (shift) => {
    const text = `${'x'.repeat(20_000 + shift)} ${'4111 1111 1111 1111 and jane.doe@example.com '.repeat(2000)}`;
    for (let limit = 19_900; limit < 20_060; limit += 13) {
      const { text: out } = masked({ c: text }, {}, limit + shift);
      expect(out).not.toMatch(/1111|jane|@/);
    }
  });

  it.each<[string, string[], unknown, unknown]>([
    ['texts', ['input[*]'], { input: ['a', 'b'], x: ['c'] }, { input: ['[field]', '[field]'], x: ['c'] }],
    ['a string instead of a list', ['input[*]'], { input: 'a' }, { input: 'a' }],
    ['numbers and null', ['a[*]'], { a: [1, null, true, ''], b: [1] }, { a: ['[field]', null, '[field]', ''], b: [1] }],
    ['objects and lists', ['a[*]'], { a: [{ b: [1] }, [2], []], c: 3 }, { a: ['[field]', '[field]', []], c: 3 }],
    ['an empty list', ['a[*]'], { a: [], b: 'x' }, { a: [], b: 'x' }],
    ['nested lists', ['a[*][*]'], { a: [['x', 'y'], ['z'], 'w'] }, { a: [['[field]', '[field]'], ['[field]'], 'w'] }],
    [
      'a list in each element',
      ['a[*].b[*]'],
      { a: [{ b: ['x'], c: ['y'] }, { b: 'z' }] },
      { a: [{ b: ['[field]'], c: ['y'] }, { b: 'z' }] },
    ],
    ['one path for elements and another for members', ['a[*]', 'user'], { a: ['x'], user: 'u' }, { a: ['[field]'], user: '[field]' }],
    [
      'a name with a dot',
      ['metadata."user.name"'],
      { metadata: { 'user.name': 'Jo', user: { name: 'x' } } },
      { metadata: { 'user.name': '[field]', user: { name: 'x' } } },
    ],
    [
      'a name with brackets',
      ['"tags[*]"[*]."a\\"b"'],
      { 'tags[*]': [{ 'a"b': 'Jo' }], tags: [{ 'a"b': 'x' }] },
      { 'tags[*]': [{ 'a"b': '[field]' }], tags: [{ 'a"b': 'x' }] },
    ],
    ['a quoted name that needs no quotes', ['"user"'], { user: 'Jo' }, { user: '[field]' }],
  ])('masks the list elements that a field path selects: %s', (_, fields, body, expected) => {
    expect(JSON.parse(masked(body, { fields }).text)).toEqual(expected);
    const spacedJson = JSON.stringify(body, null, 1);
    expect(JSON.parse(masked(spacedJson, { fields }).text)).toEqual(expected);
  });

  it('does not show masked elements in the preview', () => {
    expect(masked({ input: ['first', 'last'] }, { fields: ['input[*]'] }).preview).toBe('[field]');
    expect(masked({ messages: [{ role: 'user', content: 'hi' }] }, { fields: ['messages[*]'] }).preview).toBeNull();
  });

  it('masks repeated names and markers in linear time', () => {
    const many = 20_000;
    const name = `${'x'.repeat(many)}_phone`;
    expect(masked({ [name]: Array.from({ length: many }, () => 12_345_678_901) }, {}, 1 << 30).counts).toEqual({ phone: many });
    const keys = Array.from({ length: many }, () => '-----BEGIN PRIVATE KEY-----');
    expect(masked({ keys }, {}, 1 << 30).counts).toEqual({ secret: many });
  });

  it.each(['100% of it, 50 %', 'a%', '%2 %4 %3d %5b', '%zz%41', 'a@b and c@ d'])('does not change %j', (text) => {
    const body = JSON.stringify({ messages: [{ role: 'user', content: text }] });
    for (const fields of [[], rules.fields])
      expect(masked(body, { fields })).toEqual({ text: body, counts: {}, preview: text, isCut: false });
  });

  it('stores no body if own patterns would cost too much time', () => {
    const redaction = new BodyRedactor({ ...rules, own: [ownPattern('ACME-\\d{6}')] }, []).begin(1 << 20);
    const text = 'x '.repeat(100_000);
    const value = { a: text };
    const json = JSON.stringify(value);
    expect(redaction.request(json)).toEqual({ body: 'too-large', preview: null });
    expect(redaction.response({ pieces: [Buffer.from(json)], size: json.length, contentType: 'application/json' })).toBe('too-large');
    expect([redaction.text(text), redaction.value(value), redaction.json(json)]).toEqual(['[text]', {}, '{}']);
  });
});

describe('a masked field', () => {
  const longText = 'A long story. '.repeat(100);
  const messages = Array.from({ length: 200 }, (_, i) => `message number ${i}`);

  it.each<[string, string[], unknown, unknown, unknown]>([
    ['a name', ['user'], { user: 'Anna Müller' }, { metadata: { user_id: 'Anna Müller' } }, { metadata: { user_id: '[field]' } }],
    ['a long text', ['prompt'], { prompt: longText }, { c: [{ parts: [{ text: longText }] }] }, { c: [{ parts: [{ text: '[field]' }] }] }],
    ['a text with escapes', ['prompt'], { prompt: 'one\n"two" 😀' }, { text: 'one\n"two" 😀' }, { text: '[field]' }],
    ['many strings', ['messages[*].c'], { messages: messages.map((c) => ({ c })) }, { m: messages }, { m: messages.map(() => '[field]') }],
    [
      'texts in parts',
      ['messages[*].content'],
      { messages: [{ role: 'user', content: [{ type: 'input_text', text: 'hello there' }] }] },
      { contents: [{ role: 'user', type: 'input_text', parts: [{ text: 'hello there' }] }] },
      { contents: [{ role: 'user', type: 'input_text', parts: [{ text: '[field]' }] }] },
    ],
    ['not a short text, which may be there by chance', ['user'], { user: 'x1' }, { id: 'x1' }, { id: 'x1' }],
  ])('is also masked in another format of the same request: %s', (_, fields, sent, upstream, expected) => {
    const asciiOnly = (json: string): string =>
      json.replaceAll(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
    for (const [encodeFirst, encodeSecond] of [
      [String, String],
      [asciiOnly, String],
      [String, asciiOnly],
    ] as const) {
      const redaction = new BodyRedactor({ ...rules, fields }, []).begin(1 << 20);
      redaction.request(oneByte(encodeFirst(JSON.stringify(sent))));
      const { body } = redaction.request(oneByte(encodeSecond(JSON.stringify(upstream))));
      expect(JSON.parse(String((body as { bytes: Buffer }).bytes))).toEqual(expected);
    }
  });

  it('drops the other format if it has more values than can be remembered', () => {
    const redaction = new BodyRedactor({ ...rules, fields: ['l[*]'] }, []).begin(1 << 30);
    const texts = Array.from({ length: 10_001 }, (_, i) => `text number ${i}`);
    const sent = redaction.request(JSON.stringify({ l: texts })).body;
    expect(String((sent as { bytes: Buffer }).bytes)).not.toContain('number');
    expect(redaction.request(JSON.stringify({ m: texts })).body).toBe('too-large');
  });
});

import { describe, expect, it } from 'vitest';
import { masked } from '../../../../test/support/redaction.ts';

/** Values that are masked are between ‹ and ›. */
const pairs: readonly string[] = [
  '{"value": "‹s3cr3t-abc›", "name": "api_key"}',
  '{"value":"‹hunter2›","key":"Authorization"}',
  '{"Value":"‹a b, c›","Key":"DB_PASSWORD"}',
  '{"enabled":true,"value":"‹hunter2›","key":"x-api-key","type":"text"}',
  '{"ParameterValue":"‹hunter2›","ParameterKey":"ClientSecret"}',
  '{"key":"access_token","type":"secret","value":"‹hunter2›"}',
  '{"value":"‹hunter2›","type":"secret","key":"access_token"}',
  '{"Name":"/prod/db/password","Type":"SecureString","Value":"‹hunter2›"}',
  '[{"value":"‹it\\"s›","name":"api_key"},{"value":"eu","name":"region"}]',
  '{\n  "value": "‹hunter2›",\n  "name": "api_key"\n}',
  '[["x-api-key", "‹s3cr3t-abc›"], ["accept", "s3cr3t-abc"]]',
  '[["accept","*/*"],["Authorization","‹Bearer abc›"],["Cookie","‹sid=abc; b=c›"]]',
  '[\n [\n  "api_key",\n  "‹s3cr3t-abc›"\n ]\n]',
  '{"Authorization":["‹Bearer abc›"],"X-Api-Key":["‹s3cr3t-abc›"],"Accept":["s3cr3t-abc"]}',
  '{"multiValueHeaders":{"Cookie":["‹sid=abc›","‹b=c d›"]}}',
];

const clean: readonly string[] = [
  '{"value":"hunter2","name":"region"}',
  '{"value":"hunter2","label":"api_key"}',
  '{"value":"hunter2","n":1,"m":2,"name":"api_key"}',
  '[{"value":"hunter2"},{"name":"api_key"}]',
  '[{"name":"region","value":"hunter2"},{"name":"api_key","note":"x"}]',
  '{"name":"region","value":"hunter2","key":"api_key"}',
  '{"values":"hunter2","name":"api_key"}',
  '{"value":"hunter2","name":"api_key_id_of"}',
  '{"value":{"type":"string"},"name":"api_key"}',
  '{"value":"","name":"api_key"}',
  '{"value":"hunter2","name":"the api_key of it"}',
  '{"required":["username","password","hunter22"]}',
  '{"columns":["password","hunter22"]}',
  '[["username","password"],["password","email"]]',
  '[["password","s3cr3t-abc","x"]]',
  '[["region","s3cr3t-abc"]]',
  '{"password":["This password is too short."],"api_key":["required","max:255"]}',
  '{"security":[{"api_key":[]},{"access_token":["read:pets"]}]}',
  '[{"password":[]},"s3cr3t-abc"]',
];

const marked = /‹([^›]*)›/g;

describe('name-value pairs', () => {
  it.each(pairs)('%s is masked in a body', (pair) => {
    expect(masked(pair.replaceAll(marked, '$1')).text).toBe(pair.replaceAll(marked, '[secret]'));
  });

  it.each(clean)('%s is not masked in a body', (pair) => {
    expect(masked(pair)).toMatchObject({ text: pair, counts: {} });
  });

  it.each<[string, string]>([
    ['{"value": "abc12", "name": "api_key"}', '{"value": "[secret]", "name": "api_key"}'],
    [
      '[{"value":"a, b","key":"Authorization"},\n{"value":"eu","key":"region"}]',
      '[{"value":"[secret]","key":"Authorization"},\n{"value":"eu","key":"region"}]',
    ],
    [
      '- value: abc12345\n  name: API_KEY\n- value: eu123456\n  name: REGION\n',
      '- value: [secret]\n  name: API_KEY\n- value: eu123456\n  name: REGION\n',
    ],
    [
      '<add value="abc12345" key="ApiKey"/> <add value="abc12345" key="Color"/>',
      '<add value="[secret]" key="ApiKey"/> <add value="abc12345" key="Color"/>',
    ],
    ['<input type="hidden" value="abc12345" name="access_token">', '<input type="hidden" value="[secret]" name="access_token">'],
    ["{'value': 'abc12345', 'name': 'api_key'}", "{'value': '[secret]', 'name': 'api_key'}"],
  ])('%s is masked inside a text', (text, expected) => {
    expect(JSON.parse(masked({ text }).text)).toEqual({ text: expected });
    const nested = { text: JSON.stringify({ text }) };
    expect(JSON.parse(masked(nested).text)).toEqual({ text: JSON.stringify({ text: expected }) });
  });

  it.each([
    'value = compute12(name, key)\nkey = "api_key"',
    'const value = "abc12345"; const name = "api_key";',
    'the value: abc12345 and the name: api_key',
    '- name: REGION\n  value: eu123456\n- name: API_KEY\n',
    '{"value":"abc12345"}, {"name":"api_key"}',
    '<add value="abc12345"/> <add key="ApiKey"/>',
  ])('%s is not masked inside a text', (text) => {
    expect(JSON.parse(masked({ text }).text)).toEqual({ text });
  });

  it('a value and a name in two texts are no pair', () => {
    const body = { a: 'value=abc12345', name: 'api_key' };
    expect(JSON.parse(masked(body).text)).toEqual(body);
  });

  it.each(['value: ', `value:"value:'`, 'value: \\\\', 'name: x, value: "', '[["password", "', '"password", ', '{"password": ["a1", '])(
    'a text of 1 MB that repeats %j is masked in linear time',
    (unit) => {
      const text = unit.repeat(Math.ceil((1 << 20) / unit.length));
      for (const body of [{ text }, text]) expect(masked(body, {}, 1 << 30).text.length).toBeGreaterThan(1 << 17);
    },
  );
});

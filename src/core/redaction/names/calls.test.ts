import { describe, expect, it } from 'vitest';
import { masked } from '../../../../test/support/redaction.ts';

/** Values that are masked are between ‹ and ›. */
const found: readonly string[] = [
  'db.setPassword("‹hunter2›");',
  'x();\nsetPassword("‹hunter2›")',
  "x;\nauth=('jo', '‹hunter2›')",
  "client.withApiKey('‹hunter2abc›')",
  'cfg.set_secret("‹pass-word›" )',
  'conn.setAuthToken(`‹abc123›`)',
  'builder.password("‹hunter2x1›").build()',
  "requests.get(url, auth=('jo', '‹hunter2›'))",
  "HTTPBasicAuth('jo', '‹pass-word›')",
];

const clean: readonly string[] = [
  'client.getSecret("prod/db-12345678")',
  'client.secret("prod-db-12345678")',
  'vault.setSecret("db-name-12345", value)',
  'form.setPassword("password")',
  'form.setPassword(`${name}-12345`)',
  'translate("password.min-8")',
  'res.setCookie("name-12345678")',
  'the password ("hunter2")',
  "auth=('jo', 'secret')",
  'parse_password("hunter2x1")',
];

const marked = /‹([^›]*)›/g;
const nested = (text: string): object => ({ text: JSON.stringify({ text }) });

describe('secrets passed to functions', () => {
  it.each(found)('are masked in %j', (text) => {
    const [plain, expected] = [text.replaceAll(marked, '$1'), text.replaceAll(marked, '[secret]')];
    for (const write of [(inner: string) => ({ text: inner }), nested])
      expect(JSON.parse(masked(write(plain)).text)).toEqual(write(expected));
    expect(JSON.parse(masked({ text: expected }).text)).toEqual({ text: expected });
  });

  it.each(clean)('are not found in %j', (text) => {
    for (const write of [(inner: string) => ({ text: inner }), nested]) expect(JSON.parse(masked(write(text)).text)).toEqual(write(text));
  });

  it.each(['setPassword("', 'setPassword("a1")', 'auth=("', 'auth=("a","', '("'])(
    'are found in linear time in a text of 1 MB that repeats %j',
    (unit) => {
      const text = unit.repeat(Math.ceil((1 << 20) / unit.length));
      for (const body of [{ text }, text]) expect(masked(body, {}, 1 << 30).text.length).toBeGreaterThan(1 << 14);
    },
  );
});

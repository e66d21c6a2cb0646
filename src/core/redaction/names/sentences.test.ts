import { describe, expect, it } from 'vitest';
import { masked } from '../../../../test/support/redaction.ts';

/** Values that are masked are between ‹ and ›. */
const found: readonly string[] = [
  'my password is ‹hunter2›, ok?',
  'my password is ‹a:1:b2›',
  'x\npassword is ‹hunter2›',
  'The PASSWORD IS secret, the password is now ‹hunter2›.',
  'the admin password was "‹hunter-2›"',
  'password is **‹hunter2›**',
  'I changed the password to ‹hunter2x›.',
  "ALTER USER jo WITH PASSWORD '‹hunter2x›'",
  'the password `‹hunter2x›` works',
  "IDENTIFIED WITH mysql_native_password BY '‹hunter2›'",
  '| password | ‹hunter2› |',
  'machine api.example.com login jo password ‹hunter2›',
  'machine api.example.com\n  login jo\n  password ‹h2›\n',
  'default login jo password ‹7hunter›',
];

const clean: readonly string[] = [
  'the password is required',
  'the password is sha256-hashed',
  'the password is SHA256',
  'the password is base64 text',
  'the password is 8-character',
  'the password is 12chars',
  'the password hunter2x',
  'password to user12345',
  'the password is in /etc/file12',
  'the password is $PASSWORD1',
  'login form password field1',
  'a login jo password h2',
  'keyword is hunter2',
  'the password is\nhunter',
  'passwords is hunter2',
  '| password | varchar(64) |',
];

const marked = /‹([^›]*)›/g;
const nested = (text: string): object => ({ text: JSON.stringify({ text }) });

describe('passwords after the word', () => {
  it.each(found)('are masked in %j', (text) => {
    const [plain, expected] = [text.replaceAll(marked, '$1'), text.replaceAll(marked, '[secret]')];
    for (const write of [(inner: string) => ({ text: inner }), nested])
      expect(JSON.parse(masked(write(plain)).text)).toEqual(write(expected));
    expect(JSON.parse(masked({ text: expected }).text)).toEqual({ text: expected });
  });

  it.each(clean)('are not found in %j', (text) => {
    for (const write of [(inner: string) => ({ text: inner }), nested]) expect(JSON.parse(masked(write(text)).text)).toEqual(write(text));
  });

  it.each(['password is ', 'password to ', 'machine a login b password ', 'machine ', 'word ', '| password | '])(
    'are found in linear time in a text of 1 MB that repeats %j',
    (unit) => {
      const text = unit.repeat(Math.ceil((1 << 20) / unit.length));
      for (const body of [{ text }, text]) expect(masked(body, {}, 1 << 30).text.length).toBeGreaterThan(1 << 14);
    },
  );
});

import { describe, expect, it } from 'vitest';
import { masked } from '../../../../test/support/redaction.ts';

/** Values that are masked are between ‹ and ›. */
const named: readonly string[] = [
  'os.environ["API_KEY"] = "‹s3cr3t-abc›"',
  "config['password']='‹s3cr3t-abc›'",
  'apiKey: `‹s3cr3t-abc›`, next: `s3cr3t-abc`',
  '**Password:** ‹s3cr3t-abc›',
  '- **API Key**: `‹s3cr3t-abc›`',
  'API key: ‹s3cr3t-abc›',
  '* Access Token : ‹s3cr3t-abc›',
  'token: ‹s3cr3t-abcdefghijklmnop›, key: s3cr3t-abcdefghijklmnop',
  '[auth]\ntoken = "‹s3cr3t-abcdefghijklmnop›"',
  'DB_PASS=‹s3cr3t-abc›\nDB_USER=s3cr3t-abc',
  'smtp-pass: "‹s3cr3t-abc›"',
  `SECRET_KEY_BASE=‹${'a1b2'.repeat(16)}›`,
  '{"SecretString":"‹hunter2›","Name":"x"}',
  'run --api-key ‹s3cr3t-abcdefghi› --model s3cr3t-abcdefghi',
  'mytool --client-secret "‹s3cr3t-abcdefghi›"',
  'login --password ‹s3cr3t-abcdefghi›\n',
  'setx OPENAI_API_KEY "‹s3cr3t-abcdefghi›"',
  'set -x GITHUB_TOKEN ‹s3cr3t-abcdefghi›',
  "headers.set('x-api-key', '‹s3cr3t-abcdefghi›')",
  "define('DB_PASSWORD', '‹s3cr3t-abcdefghi›');",
  '("Authorization","‹s3cr3t-abcdefghi›")',
];

const clean: readonly string[] = [
  'os.environ["REGION"] = "s3cr3t-abc"',
  'a[password] = hash2(value)',
  'region: `s3cr3t-abc`',
  'api_key: `sk-key-of-${name}-0123`, "x-api-key": `Bearer ${token1}`',
  'password: `your password`',
  '**Password:** at least 8 characters',
  'API keys: s3cr3t-abc',
  'compass: s3cr3t-abc',
  'bypass=s3cr3t-abc',
  'second pass: s3cr3t-abc',
  '{"string":"hunter2","database":"hunter2","base":"hunter2"}',
  '--password-file /run/files/password-12 --token-type s3cr3t-abcdefghi',
  '--secret s3cr3t-of-the-project-2',
  'token: s3cr3t-abc, next.token: s3cr3t-abcdefghijklmnop, next_page-tokens: s3cr3t-abcdefghijklmnop',
  'token = parse(s3cr3t, abcdefghijklmnop)',
  'the password s3cr3t-abcdefghi',
  'set timeout s3cr3t-abcdefghi',
  "headers.set('accept', 's3cr3t-abcdefghi')",
  '["password", "a-name-without-any-digit"]',
  "f('token', 's3cr3t-abcdefghi')",
];

/** Keys with the prefixes of their issuers. They are put together here, so that no scanner reports them. */
const issued: readonly string[] = [
  ['hvs', '.CAESIJ0aBcDeFgHiJkLmNoPq'],
  ['sbp', `_${'0a1b2c3d4e'.repeat(4)}`],
  ['sb_secret', '_aBcDeFgHiJkLmNoPqRsTuV_x'],
  ['lin_api', `_${'aB3'.repeat(13)}`],
  ['ntn', `_${'aB3'.repeat(15)}`],
  ['figd', `_${'aB-3'.repeat(10)}`],
  ['PMAK', `-${'0a1b2c3d'.repeat(3)}-${'0a1b2c3d'.repeat(4)}`],
  ['glsa', `_${'aB3'.repeat(11)}_0a1b2c3d`],
  ['dckr_pat', '_aBcDeFgHiJkLmNoPqRsTuVwXyZ0'],
  ['AGE-SECRET-KEY-1', 'QQPZ'.repeat(14)],
  ['NRAK', `-${'AB3'.repeat(9)}`],
  ['sntrys', `_${'eyJpYXQiOjE3'.repeat(3)}`],
  ['pcsk', `_${'aB3'.repeat(20)}`],
  ['sk', `_${'0a1b'.repeat(12)}`],
  ['pscale_tkn', `_${'aB3'.repeat(13)}`],
  ['dp', `.pt.${'aB3'.repeat(14)}`],
  ['glrt', '-aBcDeFgHiJkLmNoPqRsT'],
  ['phx', `_${'aB3'.repeat(13)}`],
  ['hooks.slack', `.com/services/T01ABCDEF/B01ABCDEF/${'aB3'.repeat(8)}`],
  ['discord', `.com/api/webhooks/123456789012345678/${'aB3-'.repeat(17)}`],
  ['AQ', `.${'aB3'.repeat(15)}`],
  ['ATBB', 'aB3x'.repeat(8)],
  ['HRKU', `-${'aB3'.repeat(20)}`],
  ['SK', '0a1b'.repeat(8)],
  ['M', `${'aB3x'.repeat(6)}.aB3x_y.${'aB3'.repeat(9)}`],
  ['abc8', `Q~${'aB3x'.repeat(8)}`],
  ['0a1b'.repeat(8), '-us12'],
  ['aB3x'.repeat(3), `aB.atlasv1.${'aB3'.repeat(20)}`],
  ['aio', `_${'aB3x'.repeat(7)}`],
  ['bedrock-api-key', `-${'aB3'.repeat(15)}`],
  ['cio', 'aB3x'.repeat(8)],
  ['dt0c01', `.${'AB3X'.repeat(6)}.${'AB3X'.repeat(16)}`],
  ['pa', `-${'aB3'.repeat(14)}x`],
  ['pat', `${'aB3x'.repeat(3)}aB.${'0a1b'.repeat(16)}`],
  ['pnu', `_${'aB3'.repeat(12)}`],
  ['pul', `-${'0a1b'.repeat(10)}`],
  ['rdme', `_${'0a1b'.repeat(17)}`],
  ['rubygems', `_${'0a1b'.repeat(12)}`],
  ['secret', `_${'aB3'.repeat(14)}x`],
  ['sl', `.${'aB3'.repeat(40)}`],
  ['sq0atp', `-${'aB3'.repeat(8)}`],
  ['tskey', `-auth-${'aB3'.repeat(5)}-${'aB3'.repeat(10)}`],
  ['xapp', `-1-A0123ABCD-1234567890123-${'0a1b'.repeat(8)}`],
  ['xkeysib', `-${'0a1b'.repeat(16)}-${'aB3x'.repeat(4)}`],
  ['xoxc', '-123456789012-abcdefABCDEF'],
  ['1//0', 'aB3-'.repeat(15)],
  ['LS0tLS1CRUdJTiB', 'SU0EgUFJJVkFURSBLRVktLS0tLQpNSUlF'],
].map((parts) => parts.join(''));

const marked = /‹([^›]*)›/g;
const nested = (text: string): object => ({ text: JSON.stringify({ text }) });

describe('values whose name indicates a secret', () => {
  it.each(named)('are masked in %s', (text) => {
    const [plain, expected] = [text.replaceAll(marked, '$1'), text.replaceAll(marked, '[secret]')];
    for (const write of [(text: string) => ({ text }), nested]) expect(JSON.parse(masked(write(plain)).text)).toEqual(write(expected));
    expect(JSON.parse(masked({ text: expected }).text)).toEqual({ text: expected });
  });

  it.each(clean)('are not found in %s', (text) => {
    expect(JSON.parse(masked({ text }).text)).toEqual({ text });
  });
});

describe('keys of known issuers', () => {
  it.each(issued)('are masked: %s', (key) => {
    for (const text of [`see ${key} here`, `url https://${key}`, `X=${key}\n`])
      expect(JSON.parse(masked({ text }).text)).toEqual({ text: text.replace(key, '[secret]') });
  });

  it.each(issued)('are not found in the middle of a word, and if they are too short: %s', (key) => {
    for (const text of [`see abc${key} here`, `see ${key.slice(0, 15)} here`]) expect(JSON.parse(masked({ text }).text)).toEqual({ text });
  });
});

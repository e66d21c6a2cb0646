import { describe, expect, it } from 'vitest';
import { masked } from '../../../../test/support/redaction.ts';

/** Values that are masked are between ‹ and ›. */
const found: readonly string[] = [
  'user: jo\npass: ‹hunter2x1›',
  '- pass: "‹hunter2x1›"',
  'PASS=‹hunter2x1›\nX=1',
  'Passwort: ‹hunter2x1›, contraseña: ‹hunter2x1›, mot de passe : ‹hunter2x1›',
  '{"user":"jo","pass":"‹hunter›"}',
  '{"dbPass": "‹hunter›"}',
  'user=jo pass=‹hunter2x1›',
  'POST /login?user=jo&pass=‹hunter›&x=1',
  'password=‹letmein›&user=jo',
  'user=jo&amp;password=‹letmein›&amp;x=1',
  'https://x.example/?user=jo&passwd=‹ab›&x=1',
  '/k?X-Amz-Credential=x&X-Amz-Signature=‹aeeed9bbccd4d02ee5c0109b86d86835›&y=1',
  'https://x.example/k?X-Amz-Signature=‹aeeed9bb›&y=1',
  'https://x.example/k?X-Goog-Signature=‹aeeed9bb›',
  '?sv=2020&sig=‹abcdefghijk12345%3D›&se=2027',
  `AWS4-HMAC-SHA256 SignedHeaders=host, Signature=‹${'a1b2'.repeat(16)}›`,
  'Server=h;Database=d;User Id=sa;Password=‹letmein›;',
  'host=h user=jo password=‹letmein› dbname=x',
  'Driver={SQL Server};Server=h;Uid=sa;Pwd=‹letmein›;',
  'DB_PASSWORD=‹letmein›',
  'A=1\nexport PGPASSWORD="‹letmein›"',
  'docker run -e DB_PASS=‹letmein› x',
  'Authorization: Bearer ‹abc12›',
  'Authorization: Basic ‹YTpiYzE=›',
  'password: ‹aHVudGVyMng=›',
  'password: ‹12345678›',
  '{"password": ‹12345678›, "n": 1}',
  '_auth=‹am86aHVudGVyMng=›',
  '{"auth": "‹am86aHVudGVyMng=›"}',
  '{"pin": ‹4711›, "cvv": "‹123›"}',
  'Cookie: ‹theme=dark; sid=abc123def456›\r\n',
  'Set-Cookie: ‹sid=abc123def456›; Path=/; HttpOnly',
  '&lt;db password=&quot;‹hunter2›&quot;/&gt;',
];

const clean: readonly string[] = [
  'password=letmein && user=jo',
  '{"pass": true, "fail": 3}',
  '{"pass": 12, "n": "x"}',
  '{"pass": "passed", "fail": "no"}',
  '{"pass": "all of the 12 tests"}',
  'pass: "the ball", then shoot',
  'in the second pass: abc12345x',
  'pass: 12 of 14',
  'bypass=abc12345x',
  'signature=abc12345',
  'the signature: aeeed9bbccd4d02ee5c0109b86d86835',
  '?signature=short',
  'user=a password=password',
  'username=name;password=input;',
  'password=e.value;user=e.name',
  'PASSWORD=changeme',
  'DB_PASSWORD=/run/files/db',
  'DB_PASSWORD=${DB_PASSWORD}',
  'password: 8, password: 12345',
  '{"password": 12, "secret": 123}',
  'auth=basic, auth: token12345678',
  'auth=am86',
  '{"pin": 13, "cvv": 1, "otp": "a1b2"}',
  'VisaPin="{Index=1,Value=5507}"',
  'Cookie: name=value; other=value',
  '[`Authorization`]: https://x.example/docs/Authorization2',
  'Authorization: Bearer token',
  'password=&quot;required&quot;',
  'fields user= and password= result of it',
];

const marked = /‹([^›]*)›/g;
const nested = (text: string): object => ({ text: JSON.stringify({ text }) });

describe('secrets in settings', () => {
  it.each(found)('are masked in %j', (text) => {
    const [plain, expected] = [text.replaceAll(marked, '$1'), text.replaceAll(marked, '[secret]')];
    for (const write of [(inner: string) => ({ text: inner }), nested])
      expect(JSON.parse(masked(write(plain)).text)).toEqual(write(expected));
    expect(JSON.parse(masked({ text: expected }).text)).toEqual({ text: expected });
  });

  it.each(clean)('are not found in %j', (text) => {
    for (const write of [(inner: string) => ({ text: inner }), nested]) expect(JSON.parse(masked(write(text)).text)).toEqual(write(text));
  });

  it.each([
    '?pass=a ',
    'pass: ',
    '"pass":"',
    '&sig=',
    '"auth":"',
    'user=a password=',
    'user=a;password=b1;',
    'Cookie: a=b; ',
    'password=&quot;',
  ])('are found in linear time in a text of 1 MB that repeats %j', (unit) => {
    const text = unit.repeat(Math.ceil((1 << 20) / unit.length));
    for (const body of [{ text }, text]) expect(masked(body, {}, 1 << 30).text.length).toBeGreaterThan(1 << 14);
  });
});

import { describe, expect, it } from 'vitest';
import { withFrames } from './frame.ts';
import type { Problem } from './problem.ts';

const problem = (lines: readonly string[], line: number, extra: Partial<Problem> = {}): Problem => ({
  code: 'unknown-key',
  at: { file: { path: '', name: 'a.yaml', lines }, line, column: 1, endColumn: 2, endLine: line },
  message: 'm',
  ...extra,
});

const frameOf = (lines: readonly string[], line: number, secrets: readonly string[] = [], extra: Partial<Problem> = {}) =>
  withFrames([problem(lines, line, extra)], secrets)[0]?.frame;

describe('frames of diagnostics', () => {
  it.each([
    ['a known secret anywhere in the line', 'note: my-secret-1 here', ['my-secret-1'], 'note: *********** here'],
    ['each line of a secret of several lines', 'abcdef', ['first\nabcdef'], '******'],
    ['the value of a secret key', 'a: {type: openai, api_key: hunter2, x: 1}', [], 'a: {type: openai, api_key: *******, x: 1}'],
    ['a quoted secret', 'api_key: "hun ter"', [], 'api_key: "*******"'],
    ['all of a value with commas', 'password: a,b{c', [], 'password: *****'],
    ['a secret with an unclosed quote', 'api_key: "hunter2', [], 'api_key: ********'],
    ['a secret in JSON', '{"client_secret": "hunter2", "a": 1}', [], '{"client_secret": "*******", "a": 1}'],
    ['a secret key in camelCase', 'apiKey: hunter2', [], 'apiKey: *******'],
    ['a text that looks like an API key', 'x: [sk-abcdefgh1234]', [], 'x: [***************]'],
    ['nothing of a reference', 'api_key: ${env:NAME}', [], 'api_key: ${env:NAME}'],
    ['nothing of a reference in quotes', 'x: {api_key: "${env:NAME}"}', [], 'x: {api_key: "${env:NAME}"}'],
    ['nothing of a limit of tokens', 'limits: {tokens: 200k/min, rate: 5/s}', [], 'limits: {tokens: 200k/min, rate: 5/s}'],
    ['nothing of one in quotes', 'tokens: "200k/min"', [], 'tokens: "200k/min"'],
    ['a secret of a similar form', 'tokens: 200k/minute', [], 'tokens: ***********'],
    ['nothing of ordinary lines', 'max_tokens: 5', [], 'max_tokens: 5'],
  ] as const)('hide %s', (_name, line, secrets, expected) => {
    expect(frameOf([line], 1, secrets)).toEqual({ first: 1, lines: [expected] });
  });

  it.each([
    ['a: {api_key: hunter[2], x: 1}', 'a: {api_key: ****************'],
    ['a: {api_key: hunter{2}x}', 'a: {api_key: ***********'],
    [`{"api_key": "hun"ter2"}`, `{"api_key": ***********`],
    ['a: {api_key: [hunter]2}', 'a: {api_key: **********'],
    ['a: {max_tokens: c[0]}', 'a: {max_tokens: c[0]}'],
    ['a: {api_key: "${env:A}", b: c[0]}', 'a: {api_key: "${env:A}", b: c[0]}'],
  ])('of a syntax error hide all that follows a secret key: %s', (line, expected) => {
    expect(frameOf([line], 1, [], { code: 'yaml-syntax' })?.lines).toEqual([expected]);
  });

  it.each([
    ['a key without a space', 'o: {type: openai, api_key:hunter2}', 'unknown key "api_key:hunter2"', 'unknown key "api_key:…"'],
    ['an alias', 'api_key: *hunter2', 'no anchor called "hunter2"', 'no anchor called "…"'],
    [
      'a reserved character',
      'api_key: @hunter2',
      'put it in quotes: "@hunter2", or omit the @: hunter2',
      'put it in quotes: "@…", or omit the @: …',
    ],
    ['a truncated key', `{token:${'hunter2-'.repeat(9)}}`, `unknown key "token:${'hunter2-'.repeat(6)}…"`, 'unknown key "token:……"'],
    ['an API key', '{hash:gw_live_abcdefgh1234}', 'unknown key "hash:gw_live_abcdefgh1234"', 'unknown key "hash:…"'],
    ['a line without a colon', 'api_key hunter2', 'not "hunter2"', 'not "…"'],
    ['nothing else', 'retrys: hunter2', 'unknown key "retrys"', 'unknown key "retrys"'],
  ])('have messages that hide %s', (_name, line, message, expected) => {
    const [diagnostic] = withFrames([problem([line], 1, { message, hint: message, note: message })], []);
    expect(diagnostic).toMatchObject({ message: expected, hint: expected, note: expected });
  });

  const secret = 'canary+of/the=plugin';
  it.each([
    ['as it is', secret],
    ['in a URL', encodeURIComponent(secret)],
    ['in base64', Buffer.from(secret).toString('base64').replaceAll('=', '')],
    ['in Basic authentication', Buffer.from(`${secret}`).toString('base64url')],
  ])("hide a secret that a plugin's error quotes %s", (_name, quoted) => {
    const message = `the file cannot be loaded: sent ${quoted}`;
    expect(withFrames([problem(['x'], 1, { code: 'bad-plugin', message })], [secret])[0]?.message).not.toContain(quoted.slice(0, 12));
  });

  it('have texts without the middle of a long value', () => {
    const text = `the file "${'a'.repeat(5_000_000)}" cannot be read`;
    const [diagnostic] = withFrames([problem(['x'], 1, { message: text, hint: text, note: text })], []);
    expect(diagnostic?.message).toMatch(/^the file "a+…a+" cannot be read$/);
    expect([diagnostic?.message, diagnostic?.hint, diagnostic?.note].map((one) => one?.length)).toEqual([2001, 2001, 2001]);
  });

  it('need no quadratic time for a line of one long word', () => {
    const [diagnostic] = withFrames([problem(['a'.repeat(400_000)], 1, { code: 'yaml-syntax' })], []);
    expect(diagnostic).toMatchObject({ message: 'm' });
  });

  it('show the line above where it helps, and hide its secrets too', () => {
    expect(frameOf(['api_key: hunter2', 'retrys: 1'], 2, [], { show: 'above' })).toEqual({
      first: 1,
      lines: ['api_key: *******', 'retrys: 1'],
    });
  });

  it('are omitted if nothing may be shown, and for very long lines', () => {
    expect(frameOf(['a'], 1, [], { show: 'none' })).toBeUndefined();
    expect(frameOf(['x'.repeat(401)], 1)).toBeUndefined();
  });
});

describe('# gateway-ignore', () => {
  const warning = (lines: readonly string[], line: number) => withFrames([problem(lines, line, { code: 'plain-secret' })], []).length;

  it.each([
    ['in the line above suppresses a warning', ['# gateway-ignore: plain-secret', 'a'], 2, 0],
    ['with a list of codes suppresses a warning', ['  # gateway-ignore: exposed, plain-secret', 'a'], 2, 0],
    ['suppresses a warning despite a comment between', ['# gateway-ignore: plain-secret', '# because', 'a'], 3, 0],
    ['with another code does not suppress a warning', ['# gateway-ignore: exposed', 'a'], 2, 1],
    ['two lines above does not suppress a warning', ['# gateway-ignore: plain-secret', 'b', 'a'], 3, 1],
  ] as const)('%s', (_name, lines, line, expectedFrames) => {
    expect(warning(lines, line)).toBe(expectedFrames);
  });

  it('does not suppress an error', () => {
    expect(withFrames([problem(['# gateway-ignore: unknown-key', 'a'], 2)], [])).toHaveLength(1);
  });
});

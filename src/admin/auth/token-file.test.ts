import { existsSync, lstatSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ensureToken, readToken } from './token-file.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'admin-token-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it.each([
  ['no token', undefined, false],
  ['a token that others may read', 'a-token-of-before\n', true],
  ['an empty file', '', false],
  ['a token that is too short', 'a-token\n', false],
  ['text that is not a token', 'two words of a text\n', false],
])('ensureToken() returns a token in a file with mode 600, starting with %s', (_name, text, isKept) => {
  const path = join(dir, 'admin-token');
  if (text !== undefined) writeFileSync(path, text, { mode: 0o644 });
  const token = ensureToken(dir);
  expect(token).toMatch(isKept ? /^a-token-of-before$/ : /^[\w-]{43}$/);
  expect([readToken(dir), readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual([token, `${token}\n`, 0o600]);
  expect(ensureToken(dir)).toBe(token);
});

it.each([
  ['another file', 'mine'],
  ['a missing file', undefined],
])('ensureToken() replaces a symbolic link to %s and does not change its target', (_name, text) => {
  const otherDir = join(dir, 'other');
  if (text !== undefined) writeFileSync(otherDir, text, { mode: 0o644 });
  symlinkSync(otherDir, join(dir, 'admin-token'));
  const token = ensureToken(dir);
  expect([readToken(dir), lstatSync(join(dir, 'admin-token')).isFile()]).toEqual([token, true]);
  expect(existsSync(otherDir) ? [readFileSync(otherDir, 'utf8'), statSync(otherDir).mode & 0o777] : [undefined]).toEqual(
    text === undefined ? [undefined] : [text, 0o644],
  );
});

it('readToken() returns undefined if there is no token', () => {
  expect(readToken(dir)).toBeUndefined();
});

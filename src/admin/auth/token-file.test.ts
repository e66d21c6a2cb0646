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
  ['none', undefined, false],
  ['one that others may read', 'a-token-of-before\n', true],
  ['an empty one', '', false],
  ['one that is too short to be one', 'a-token\n', false],
  ['one that is none', 'two words of a text\n', false],
])('where there is %s, a token is there afterwards that the owner alone may read', (_name, text, isKept) => {
  const path = join(dir, 'admin-token');
  if (text !== undefined) writeFileSync(path, text, { mode: 0o644 });
  const token = ensureToken(dir);
  expect(token).toMatch(isKept ? /^a-token-of-before$/ : /^[\w-]{43}$/);
  expect([readToken(dir), readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual([token, `${token}\n`, 0o600]);
  expect(ensureToken(dir)).toBe(token);
});

it.each([
  ['another file', 'mine'],
  ['nothing', undefined],
])('a link to %s is replaced, and what it leads to stays as it is', (_name, text) => {
  const other = join(dir, 'other');
  if (text !== undefined) writeFileSync(other, text, { mode: 0o644 });
  symlinkSync(other, join(dir, 'admin-token'));
  const token = ensureToken(dir);
  expect([readToken(dir), lstatSync(join(dir, 'admin-token')).isFile()]).toEqual([token, true]);
  expect(existsSync(other) ? [readFileSync(other, 'utf8'), statSync(other).mode & 0o777] : [undefined]).toEqual(
    text === undefined ? [undefined] : [text, 0o644],
  );
});

it('there is none in a folder without one', () => {
  expect(readToken(dir)).toBeUndefined();
});

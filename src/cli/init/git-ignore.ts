import { existsSync, readFileSync } from 'node:fs';
import { replaceFile } from '../../manage/keys/replace-file.ts';

/** What must not be committed: the state directory (request log and admin token), and a file with the keys of providers. */
const ignored = ['.gateway/', '.env'];

/**
 * Adds the missing lines to a `.gitignore`, or creates it.
 * @returns the added lines
 * @throws Refusal or a system error if it cannot be read or written
 */
export function addToGitIgnore(path: string, shown: string): readonly string[] {
  const before = existsSync(path) ? readFileSync(path, 'utf8') : null;
  const text = before ?? '';
  const present = new Set(text.split(/\r?\n/).map(bareName));
  const missing = ignored.filter((line) => !present.has(bareName(line)));
  const end = text === '' || text.endsWith('\n') ? '' : '\n';
  if (missing.length > 0) replaceFile(path, `${text}${end}${missing.join('\n')}\n`, shown, before);
  return missing;
}

/** `/.gateway`, `.gateway` and `.gateway/` ignore the same folder. */
const bareName = (line: string): string => line.trim().replace(/^\//, '').replace(/\/$/, '');

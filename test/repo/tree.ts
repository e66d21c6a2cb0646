import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root folder. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Files of the project, relative to the root: tracked ones and new ones that are not ignored. */
export function projectFiles(): string[] {
  const git = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  if (git.status !== 0) throw new Error(`git ls-files failed: ${git.stderr}`);
  return git.stdout.split('\0').filter((file) => file !== '' && statSync(join(root, file), { throwIfNoEntry: false })?.isFile() === true);
}

export const readProjectFile = (file: string): string => readFileSync(join(root, file), 'utf8');

/** One import of a file. `target` is a path below the root for our own files, else the specifier. */
export interface Import {
  readonly file: string;
  readonly specifier: string;
  readonly target: string;
  readonly isOwn: boolean;
  readonly typeOnly: boolean;
}

const statement = /^[ \t]*(import|export)\b(?:([^;'"`]*?)\bfrom[ \t\n]*)?[ \t]*'([^'\n]+)'/gm;
const dynamic = /^(?![ \t]*(?:\*|\/\/)).*?\bimport\(\s*'([^'\n]+)'/gm;

/** The imports of a TypeScript text. Knows the forms that the formatter leaves: single quotes, a statement at a line's start. */
export function importsOf(file: string, text: string): Import[] {
  const found: Import[] = [];
  for (const match of text.matchAll(statement)) {
    if (match[1] === 'export' && match[2] === undefined) continue;
    found.push(resolved(file, match[3] ?? '', /^\s*type\b/.test(match[2] ?? '')));
  }
  for (const match of text.matchAll(dynamic)) found.push(resolved(file, match[1] ?? '', false));
  return found;
}

function resolved(file: string, specifier: string, typeOnly: boolean): Import {
  if (/^#(core|formats)\//.test(specifier)) return { file, specifier, target: `src/${specifier.slice(1)}`, isOwn: true, typeOnly };
  if (!specifier.startsWith('.')) return { file, specifier, target: specifier, isOwn: false, typeOnly };
  return { file, specifier, target: posix.normalize(normalize(join(dirname(file), specifier))), isOwn: true, typeOnly };
}

/** True for the folder itself and for everything in it; `folder` may be a file. */
export const within = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** `@scope/name/sub` → `@scope/name`. */
export const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { textsOf } from './texts.ts';
import { projectFiles, readProjectFile, root } from './tree.ts';
import { everywhere, forReaders, type Term } from './word-list.ts';

interface Line {
  readonly at: string;
  readonly text: string;
}

const files = projectFiles();
const pages = files.filter((file) => /^(?:README|SECURITY|CONTRIBUTING|CHANGELOG)\.md$|^(?:docs|configs)\/.*\.md$/.test(file));
const notes = files.filter((file) => /^plugins\/.*\.md$/.test(file));
const sources = files.filter((file) => /^(?:src|plugins)\/.*\.(?:tsx?|js)$/.test(file) && !/\.test\.ts$|\/fixtures\//.test(file));

/** The prose of a page: without code blocks, names in backticks and URLs of links. */
function proseOf(page: string): Line[] {
  let inCode = false;
  return readProjectFile(page)
    .split('\n')
    .flatMap((line, i) => {
      if (line.startsWith('```')) inCode = !inCode;
      const text = line.replaceAll(/`[^`]*`/g, '`…`').replaceAll(/\]\([^)]*\)/g, ']');
      return inCode || line.startsWith('```') ? [] : [{ at: `${page}:${i + 1}`, text }];
    });
}

/** SQL statements and instructions for a model. */
const notForReaders = /CREATE TABLE|SELECT |PRAGMA|^Answer with one JSON object/;

/** Strings in the sources that are sentences or parts of one: three words, or in a template two words and a value. */
const sentences: Line[] = sources.flatMap((file) =>
  textsOf(readProjectFile(file))
    .filter(
      ({ kind, text }) =>
        kind === 'string' && /[a-z]{2,} [^ ]+ [a-z]|[a-z}] [a-z]{2,} \$\{\}|\$\{\} [a-z]{2,}\b/i.test(text) && !notForReaders.test(text),
    )
    .map(({ line, text }) => ({ at: `${file}:${line}`, text })),
);

const comments: Line[] = sources.flatMap((file) =>
  textsOf(readProjectFile(file))
    .filter(({ kind }) => kind === 'comment')
    .map(({ line, text }) => ({ at: `${file}:${line}`, text })),
);

/** `file:line: the text [match → replacement]` for each match. */
const finds = (lines: readonly Line[], terms: readonly Term[]): string[] =>
  lines.flatMap(({ at, text }) =>
    terms.flatMap(({ pattern, write }) => {
      const found = pattern.exec(text);
      return found === null ? [] : [`${at}: ${text.slice(Math.max(0, found.index - 40), found.index + 60)} [${found[0]} → ${write}]`];
    }),
  );

describe('word list', () => {
  it('is applied to pages, sentences and comments', () => {
    expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/errors.md']));
    expect(sentences.map(({ text }) => text)).toContain('Missing gateway API key.');
    expect(sentences.length).toBeGreaterThan(1000);
    expect(comments.length).toBeGreaterThan(3000);
  });

  it.each<[string, string]>([
    ['the entry stands in the file', 'stands'],
    ['the request brings no key', 'brings'],
    ['a list takes strings', 'takes'],
    ['the header tells', 'tells'],
    ['four clocks watch', 'clocks'],
    ['every answer moves on', 'answer'],
    ['the request is refused', 'is refused'],
    ['vendor A', 'vendor A'],
  ])('matches %j', (text, word) => {
    expect(finds([{ at: 'x:1', text }], forReaders).join('\n')).toContain(`[${word}`);
  });

  it.each([
    'a wait takes 10 s',
    'x-gateway-config takes precedence',
    'the response has a body',
    'it compares with the clock of the gateway',
  ])('does not match %j', (text) => expect(finds([{ at: 'x:1', text }], forReaders)).toEqual([]));

  it('has no match in the documentation', () => expect(finds(pages.flatMap(proseOf), forReaders)).toEqual([]));

  it('has no match in errors, hints, help and descriptions of settings', () => expect(finds(sentences, forReaders)).toEqual([]));

  it('has no match in notes and comments (private names)', () => {
    expect(finds([...notes.flatMap(proseOf), ...comments], everywhere)).toEqual([]);
  });
});

describe('file names in documentation and comments', () => {
  const exists = (from: string, path: string): boolean =>
    existsSync(join(root, normalize(join(dirname(from), path)))) || existsSync(join(root, path)) || existsSync(join(root, 'docs', path));

  it('refer to documents of the repository', () => {
    const lost = [
      ...[...pages, ...notes].flatMap((page) => proseOf(page).map((line) => ({ ...line, page }))),
      ...comments.map((line) => ({ ...line, page: '' })),
    ]
      .flatMap(({ at, text }) => [...text.matchAll(/(?<![\w/.-])([\w./-]+\.md)\b/g)].map((match) => ({ at, path: match[1] ?? '' })))
      .filter(({ at, path }) => !exists(at.split(':')[0] ?? '', path));
    expect(lost).toEqual([]);
  });

  it('in backticks refer to existing files and folders', () => {
    const repositoryPath = /`((?:src|plugins|test|docs|deploy|bench|configs|\.ci)\/[\w./-]+)`/g;
    const named = [...pages, ...notes].flatMap((page) =>
      [...readProjectFile(page).matchAll(repositoryPath)].map((match) => ({ page, path: match[1] ?? '' })),
    );
    expect(named.length).toBeGreaterThan(80);
    // A key file of the reader is not in the repository.
    expect(named.filter(({ path }) => !path.endsWith('-api-key.txt') && !existsSync(join(root, path)))).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { blockText, EditError, type MemberValue, setMembers } from './document.ts';

const set = (text: string, members: Record<string, MemberValue>): string => setMembers(text, ['api_keys', 'app'], 'hash', members);

describe('setMembers()', () => {
  it.each<[string, string, Record<string, MemberValue>, string]>([
    [
      'replaces only the text of a value',
      '# top\napi_keys:   # keys\n    app:\n        hash:   "sha256:old"   # one\n\n        expires: 2027-01-01\nx-end: 1\n',
      { hash: 'sha256:new' },
      '# top\napi_keys:   # keys\n    app:\n        hash: sha256:new   # one\n\n        expires: 2027-01-01\nx-end: 1\n',
    ],
    [
      'adds a new member below, after a comment',
      'api_keys:\n  app:\n    hash: sha256:a # one\n    debug: true\n  other: {hash: sha256:b}\n',
      { revoked: '2027-01-01T00:00:00Z' },
      'api_keys:\n  app:\n    hash: sha256:a # one\n    revoked: 2027-01-01T00:00:00Z\n    debug: true\n  other: {hash: sha256:b}\n',
    ],
    [
      'keeps CRLF line ends',
      'api_keys:\r\n  app:\r\n    hash: sha256:a\r\n',
      { revoked: '2027-01-01' },
      'api_keys:\r\n  app:\r\n    hash: sha256:a\r\n    revoked: 2027-01-01\r\n',
    ],
    [
      'adds to a file without a last line end',
      'api_keys:\n  app:\n    hash: sha256:a',
      { revoked: '2027-01-01' },
      'api_keys:\n  app:\n    hash: sha256:a\n    revoked: 2027-01-01',
    ],
    [
      'edits a flow mapping within its line',
      'api_keys: {app: {hash: "sha256:a", debug: true}} # end\n',
      { hash: 'sha256:b', revoked: '2027-01-01' },
      'api_keys: {app: {hash: sha256:b, revoked: 2027-01-01, debug: true}} # end\n',
    ],
    [
      'edits a file with more aliases than the library accepts',
      `x-a: &a [1]\nx-b: [${'*a, '.repeat(150)}1]\napi_keys: {app: {hash: sha256:a}}\n`,
      { revoked: '2027-01-01' },
      `x-a: &a [1]\nx-b: [${'*a, '.repeat(150)}1]\napi_keys: {app: {hash: sha256:a, revoked: 2027-01-01}}\n`,
    ],
    [
      'works on JSON',
      '{"api_keys": {"app": {"hash": "sha256:a"}}}',
      { revoked: '2027-01-01' },
      '{"api_keys": {"app": {"hash": "sha256:a", "revoked": "2027-01-01"}}}',
    ],
    [
      'replaces a list below its key',
      'api_keys:\n  app:\n    hash: sha256:a\n    previous:\n    - hash: sha256:x # first\n      until: 2027-01-01\n    # a note\n    debug: true\n',
      { previous: [{ hash: 'sha256:y', until: '2027-02-02T10:00:00Z' }] },
      'api_keys:\n  app:\n    hash: sha256:a\n    previous: [{hash: sha256:y, until: 2027-02-02T10:00:00Z}]\n    # a note\n    debug: true\n',
    ],
    [
      'empties a list',
      'api_keys: {app: {hash: sha256:a, previous: [{hash: sha256:x, until: 2027-01-01}]}}\n',
      { previous: [] },
      'api_keys: {app: {hash: sha256:a, previous: []}}\n',
    ],
    [
      'changes neither anchors nor other entries',
      'x-a: &a {hash: sha256:z}\napi_keys:\n  other: *a\n  app: {hash: sha256:a}\n',
      { hash: 'sha256:b' },
      'x-a: &a {hash: sha256:z}\napi_keys:\n  other: *a\n  app: {hash: sha256:b}\n',
    ],
  ])('%s', (_name, before, members, after) => {
    expect(set(before, members)).toBe(after);
  });

  it.each([
    ['an alias', 'x-a: &a {hash: sha256:a}\napi_keys:\n  app: *a\n', /not written there as a separate mapping/],
    ['a merge key', 'x-a: &a {hash: sha256:a}\napi_keys:\n  app: {<<: *a}\n', /"hash" of api_keys.app is not written there/],
    ['a merge key beside it', 'x-a: &a {debug: true}\napi_keys:\n  app: {<<: *a, hash: sha256:a}\n', /merged with another part/],
    ['an anchor', 'api_keys:\n  app: &a {hash: sha256:a}\n  b: {<<: *a, hash: sha256:b}\n', /api_keys\.app has an anchor/],
    ['an alias for the value', 'x-a: &a sha256:a\napi_keys:\n  app: {hash: *a}\n', /alias/],
    ['a folded text', 'api_keys:\n  app:\n    hash: >-\n      sha256:a\n', /safely/],
    ['a file that is not valid YAML', 'api_keys:\n  app: {hash: sha256:a\n', /not written there/],
    ['another name', 'api_keys:\n  app2: {hash: sha256:a}\n', /not written there/],
  ])('rejects %s', (_name, text, message) => {
    expect(() => set(text, { hash: 'sha256:b' })).toThrow(EditError);
    expect(() => set(text, { hash: 'sha256:b' })).toThrow(message);
  });
});

it('names the line of an entry that cannot be edited', () => {
  const lineFor = (text: string): number | undefined => {
    try {
      set(text, { hash: 'sha256:b' });
    } catch (error) {
      return error instanceof EditError ? error.line : undefined;
    }
    return undefined;
  };
  expect(lineFor('# keys\napi_keys:\n  app: &a\n    hash: sha256:a\n  b: {<<: *a, hash: sha256:b}\n')).toBe(3);
  expect(lineFor('x-a: &a {hash: sha256:a}\napi_keys:\n  b: {hash: sha256:b}\n  app: *a\n')).toBe(4);
  expect(lineFor('api_keys:\n  app2: {hash: sha256:a}\n')).toBeUndefined();
});

describe('blockText()', () => {
  it('writes nested values on one line and quotes values that need quotes', () => {
    const entry = {
      hash: 'sha256:a',
      expires: '2027-01-01',
      allow: { models: ['gpt-4*', '@x'] },
      metadata: { team: 'yes: no', on: 'true' },
      debug: true,
    };
    expect(blockText('api_keys', 'app', entry)).toBe(
      'api_keys:\n  app:\n    hash: sha256:a\n    expires: 2027-01-01\n    allow: {models: [gpt-4*, "@x"]}\n    metadata: {team: "yes: no", on: "true"}\n    debug: true\n',
    );
  });
});

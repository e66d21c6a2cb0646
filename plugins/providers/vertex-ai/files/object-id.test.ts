import { describe, expect, it } from 'vitest';
import { fileIdOf, fileNameOf, folderOf, isBucket, storedObjectOf, parseUri } from './object-id.ts';

describe('objectOf', () => {
  const oddId = { bucket: 'acme-media', name: 'in/100%25 ü?.jsonl' };

  it.each([
    ['unencoded', `gs://${oddId.bucket}/${oddId.name}`],
    ['encoded', fileIdOf(oddId)],
    ['encoded twice', encodeURIComponent(fileIdOf(oddId))],
  ])('parses an id that is %s', (_, id) => expect(storedObjectOf(id, 'id')).toEqual(oddId));

  it.each([
    'file-abc',
    '',
    'gs://',
    'gs://acme',
    'gs://acme/',
    'gs://Acme/x',
    'gs://../x',
    'gs://acme/..',
    'gs://acme/a/../../o/b',
    'gs://acme/./b',
    'gs://acme/a/..',
    'gs://a..b/x',
    'gs://acme/a\nb',
    'gs%',
    's3://acme/x',
  ])('rejects %j with 404', (id) =>
    expect(() => storedObjectOf(id, 'id')).toThrow(expect.objectContaining({ code: 'invalid_value', status: 404 }) as Error),
  );

  it('rejects an object name of more than 1024 bytes', () => {
    expect(parseUri(`gs://acme/${'ü'.repeat(512)}`)).toBeDefined();
    expect(parseUri(`gs://acme/${'ü'.repeat(513)}`)).toBeUndefined();
  });

  it.each([
    ['acme', true],
    ['my.domain.example', true],
    ['a', false],
    ['a/b', false],
    ['-abc', false],
    ['a?b=c', false],
  ])('accepts the bucket name %s: %s', (name, isValid) => expect(isBucket(name)).toBe(isValid));
});

describe('name of an uploaded object', () => {
  it('sorts the newest upload first', () => {
    const folderAt = (createdAt: number): string => folderOf({ createdAt, id: 'req_1' });
    expect([folderAt(1_793_610_000), folderAt(1_793_610_001), folderAt(1_893_610_000)].sort()).toEqual([
      folderAt(1_893_610_000),
      folderAt(1_793_610_001),
      folderAt(1_793_610_000),
    ]);
  });

  it.each([
    ['../../etc/passwd', 'passwd'],
    [String.raw`C:\files\a b.jsonl`, 'a b.jsonl'],
    ['a\r\nb', 'ab'],
    ['rows[1]?*.jsonl', 'rows_1___.jsonl'],
    ['..', 'file'],
    ['', 'file'],
    [undefined, 'file'],
    [`${'x'.repeat(300)}.jsonl`, `${'x'.repeat(194)}.jsonl`],
  ])('is derived from the file name %j as %j', (sent, storedName) => expect(fileNameOf(sent)).toBe(storedName));
});

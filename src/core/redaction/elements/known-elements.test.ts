import { crc32 } from 'node:zlib';
import { expect, it } from 'vitest';
import { KnownElements } from './known-elements.ts';

it('KnownElements keeps all elements of a record, and releases them after it if they are too large', () => {
  const known = new KnownElements();
  const elements = Array.from({ length: 40 }, (_, n) => Buffer.alloc(256 * 1024, `{"n":${n}}`));
  const found = (): number => elements.filter((bytes) => known.find(bytes, crc32(bytes)) !== undefined).length;
  for (const bytes of elements.slice(0, 30)) known.add(bytes, crc32(bytes), []);
  known.trim();
  expect(found()).toBe(30);
  for (const bytes of elements.slice(30)) known.add(bytes, crc32(bytes), []);
  expect(found()).toBe(40);
  known.trim();
  expect(found()).toBe(0);
  known.add(elements[0] as Buffer, crc32(elements[0] as Buffer), []);
  known.trim();
  expect(found()).toBe(1);
});

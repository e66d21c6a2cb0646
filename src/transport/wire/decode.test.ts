import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { codingsOf, decode, type DecodeFault } from './decode.ts';

const text = Buffer.from('hello '.repeat(1000));
const limit = text.length;
const fault = (bytes: Buffer, codings: readonly string[], maxBytes = limit): Promise<string> =>
  decode(bytes, codings, maxBytes).then(
    () => 'none',
    ({ message }: DecodeFault) => message,
  );

it.each([
  [undefined, []],
  ['', []],
  ['identity', []],
  ['gzip', ['gzip']],
  [' GZip , Identity,br', ['gzip', 'br']],
  [','.repeat(60_000), []],
  ['gzip,'.repeat(10_000), ['gzip', 'gzip', 'gzip']],
  [', , ,gzip', ['gzip']],
  ['identity, gzip, identity, br', ['gzip', 'br']],
])('codingsOf() parses the header of row %#', (header, codings) => {
  expect(codingsOf(header)).toEqual(codings);
});

const codings = { gzip: gzipSync, 'x-gzip': gzipSync, deflate: deflateSync, br: brotliCompressSync, zstd: zstdCompressSync };

describe.each(Object.entries(codings))('decode() of %s', (coding, encode) => {
  it('decodes up to the limit and rejects more', async () => {
    expect(await decode(encode(text), [coding], limit)).toEqual(text);
    expect(await fault(encode(text), [coding], limit - 1)).toBe(`too-large: ${coding}`);
    expect(await fault(encode(Buffer.alloc(50_000_000)), [coding])).toBe(`too-large: ${coding}`);
  });

  it('rejects invalid or truncated content', async () => {
    expect(await fault(Buffer.from('{"a":1}'), [coding])).toBe(`broken: ${coding}`);
    expect(await fault(encode(text).subarray(0, 20), [coding])).toBe(`broken: ${coding}`);
    expect(await fault(Buffer.alloc(0), [coding])).toMatch(/^(?:none|broken: .*)$/);
  });

  it('does not block the event loop', async () => {
    let turnCount = 0;
    const count = (): void => {
      turnCount += 1;
      immediate = setImmediate(count);
    };
    let immediate = setImmediate(count);
    await decode(encode(Buffer.alloc(20_000_000)), [coding], 20_000_000);
    clearImmediate(immediate);
    expect(turnCount).toBeGreaterThan(10);
  });
});

it('decode() applies the limit to each of several codings', async () => {
  expect(await decode(brotliCompressSync(gzipSync(text)), ['gzip', 'br'], limit)).toEqual(text);
  expect(await fault(gzipSync(gzipSync(Buffer.alloc(50_000_000))), ['gzip', 'gzip'])).toBe('too-large: gzip');
  expect(await fault(text, ['gzip', 'gzip', 'gzip'])).toBe('unknown: gzip, gzip, gzip');
});

it.each(['lzma', '__proto__', 'constructor', 'x'.repeat(1000)])('decode() rejects the unknown coding %.20s', async (coding) => {
  expect(await fault(text, [coding])).toBe(`unknown: ${coding.slice(0, 40)}`);
});

it('decode() rejects a zstd frame with a large window', async () => {
  const compressed = zstdCompressSync(Buffer.alloc(30_000_000, 'abcdefg'), { params: { [constants.ZSTD_c_windowLog]: 25 } });
  expect(await fault(compressed, ['zstd'], 40_000_000)).toBe('broken: zstd');
});

it('decode() reports decoded bytes as they are produced and stops if the callback throws', async () => {
  let decodedBytes = 0;
  await decode(gzipSync(gzipSync(Buffer.alloc(1_000_000))), ['gzip', 'gzip'], 1_000_000, (bytes) => (decodedBytes += bytes));
  expect(decodedBytes).toBe(1_000_000 + gzipSync(Buffer.alloc(1_000_000)).length);
  decodedBytes = 0;
  const stop = (bytes: number): void => {
    decodedBytes += bytes;
    if (decodedBytes > 200_000) throw new Error('no room');
  };
  await expect(decode(gzipSync(Buffer.alloc(50_000_000)), ['gzip'], 50_000_000, stop)).rejects.toThrow('no room');
  expect(decodedBytes).toBeLessThan(300_000);
});

import { expect, it } from 'vitest';
import type { CliIo } from '../io.ts';
import { requestOf } from './request.ts';

const headersOf = async (...header: string[]): Promise<unknown> => (await requestOf({ header }, {} as CliIo)).headers;

it('reads headers as a client writes them', async () => {
  expect(await headersOf('X-Team: web', 'x-empty:', 'x-metadata: {"user":"ü: 1"}')).toEqual({
    'x-team': 'web',
    'x-empty': '',
    'x-metadata': '{"user":"ü: 1"}',
  });
});

it.each(['no-colon', ': value', 'a b: c', 'ü: c', 'x-a: b\nx-c: d', 'x-a: b\0'])('rejects %j, which no client can send', async (line) => {
  await expect(headersOf(line)).rejects.toThrow('is no header');
});

import { describe, expect, it } from 'vitest';
import { connectionFault } from './connection-fault.ts';

const words: readonly [code: string | undefined, word: string][] = [
  ['ECONNREFUSED', 'connection refused'],
  ['UND_ERR_SOCKET', 'connection closed'],
  ['UND_ERR_INFO', 'connection failed'],
  ['CERT_HAS_EXPIRED', 'CERT_HAS_EXPIRED'],
  [undefined, 'connection failed'],
];

describe('connectionFault', () => {
  it.each(words)('calls %s "%s"', (code, word) => {
    expect(connectionFault(Object.assign(new Error('connect 10.0.0.1:443'), { code }))).toBe(word);
  });
});

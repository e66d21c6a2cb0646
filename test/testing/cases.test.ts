import { describe, expect, it } from 'vitest';
import { ranCase, readCases } from './case.ts';

describe('gateway test', () => {
  it.each(readCases().map((one) => [one.name, one] as const))('prints the expected output for %s', async (_name, one) => {
    expect(await ranCase(one)).toBe(one.expected);
  });
});

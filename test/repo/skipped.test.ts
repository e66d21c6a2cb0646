import { describe, expect, it } from 'vitest';
import { projectFiles, readProjectFile } from './tree.ts';

const tests = projectFiles().filter((file) => /^(?:src|plugins|test)\/.*\.test\.ts$/.test(file) && file !== 'test/repo/skipped.test.ts');

/** A test that is skipped without a reason. `hasBrowser` prints its reason. */
const silent =
  /\bskipIf\((?!skipping\(|lacking\(|!hasBrowser\))|\b(?:it|test|describe)\.(?:skip|todo)\(\s*(['"`])[^\n]*\1\s*,|\b(?:skip|todo)\(\)|\.todo\(|\bx(?:it|describe)\(|\brunIf\(/;

const findIn = (text: string): string | undefined => silent.exec(text)?.[0];

describe('skipped tests', () => {
  it.each(["it.skipIf(process.platform === 'win32')('x')", "describe.skip('x', () => {})", 'ctx.skip()', "it.todo('x')"])(
    'are not accepted without a reason: %s',
    (text) => expect(findIn(text)).toBeDefined(),
  );

  it('print a reason in all test files', () => {
    expect(tests.length).toBeGreaterThan(200);
    expect(tests.flatMap((file) => (findIn(readProjectFile(file)) === undefined ? [] : [file]))).toEqual([]);
  });
});

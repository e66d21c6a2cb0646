import type { TestResult } from '../../testing/test-case.ts';

/** The result of a test, with the name of its file. */
export type FileResult = TestResult & { readonly file: string };

export interface TestRunResult {
  readonly results: readonly FileResult[];
  /** Duration in real milliseconds. */
  readonly ms: number;
}

export const failedOf = ({ results }: TestRunResult): readonly FileResult[] => results.filter(({ failures }) => failures.length > 0);

/** Output of `--json`. */
export function jsonReport(run: TestRunResult): object {
  const failed = failedOf(run).length;
  return {
    ok: failed === 0,
    passed: run.results.length - failed,
    failed,
    ms: Math.round(run.ms),
    tests: run.results.map(({ file, name, at, failures, ms }) => ({
      file,
      line: at.line,
      name,
      ok: failures.length === 0,
      ms: Math.round(ms),
      failures: failures.map(({ what, expected, got, at: { line, column } }) => ({ what, expected, got, line, column })),
    })),
  };
}

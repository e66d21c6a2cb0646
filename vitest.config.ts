import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Folder where `.ci/run` wants the machine-readable results, one file a run; unset for people. */
const reports = process.env.GATEWAY_TEST_REPORTS;

export default defineConfig({
  resolve: { alias: [{ find: /^fast-check$/, replacement: join(import.meta.dirname, 'test/support/fast-check.ts') }] },
  test: {
    // These end what hangs. What is slow is not wrong: a busy machine may take a hundred times as long as an idle one.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 100_000 } },
    // A third of their time the tests wait for clocks and processes: one worker more than cores. Each may run a browser.
    maxWorkers: Math.min(availableParallelism(), 7) + 1,
    passWithNoTests: true,
    reporters: reports === undefined ? ['default'] : ['default', ['json', { outputFile: `${reports}/vitest-${process.pid}.json` }]],
    projects: [
      { extends: true, test: { name: 'unit', include: ['src/**/*.test.ts', 'plugins/**/*.test.ts'] } },
      { extends: true, test: { name: 'integration', include: ['test/**/*.test.ts'], globalSetup: ['test/support/compiled.ts'] } },
    ],
  },
});

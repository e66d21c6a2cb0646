import { defineConfig } from 'vitest/config';

/** Folder where `.ci/run` wants the machine-readable results, one file a run; unset for people. */
const reports = process.env.GATEWAY_TEST_REPORTS;

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What is polled comes at once on an idle machine; one second is too little on a busy one.
    expect: { poll: { timeout: 15_000 } },
    // A third of their time the tests wait for clocks and processes: one worker more than the two cores of a small machine.
    maxWorkers: 3,
    passWithNoTests: true,
    reporters: reports === undefined ? ['default'] : ['default', ['json', { outputFile: `${reports}/vitest-${process.pid}.json` }]],
    projects: [
      { extends: true, test: { name: 'unit', include: ['src/**/*.test.ts', 'plugins/**/*.test.ts'] } },
      { extends: true, test: { name: 'integration', include: ['test/**/*.test.ts'] } },
    ],
  },
});

import { defineConfig } from 'vitest/config';

/** Folder where `.ci/run` wants the machine-readable results, one file a run; unset for people. */
const reports = process.env.GATEWAY_TEST_REPORTS;

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Socket tests wait for each other's processes: more workers than cores only make them slower.
    maxWorkers: 2,
    passWithNoTests: true,
    reporters: reports === undefined ? ['default'] : ['default', ['json', { outputFile: `${reports}/vitest-${process.pid}.json` }]],
    projects: [
      { extends: true, test: { name: 'unit', include: ['src/**/*.test.ts', 'plugins/**/*.test.ts'] } },
      { extends: true, test: { name: 'integration', include: ['test/**/*.test.ts'] } },
    ],
  },
});

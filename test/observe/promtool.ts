import { failure, orSkip } from '../support/installed.ts';

const problem = failure('promtool', ['--version']);

/** The tool that comes with Prometheus. */
export const promtool: { readonly found: true } | { readonly missing: string } = orSkip(
  'promtool (package prometheus)',
  problem === undefined ? { found: true } : { missing: problem },
);

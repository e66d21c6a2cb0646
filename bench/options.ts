import { parseArgs } from 'node:util';

/**
 * `npm run bench -- [--quick] [--rounds N] [--seconds N] [--only SYSTEM,…] [--scenarios NAME,…] [--own-tools] [--sources]
 * [--record] [--profile]`
 */
export interface Options {
  readonly quick: boolean;
  readonly rounds: number;
  readonly durationMs: number;
  /** Names of the systems to run; undefined: all. */
  readonly only: readonly string[] | undefined;
  /** Names of the scenarios to run; undefined: all. */
  readonly scenarios: readonly string[] | undefined;
  readonly nodeTools: boolean;
  /** Runs the sources, as `npm start` does, instead of compiling the package first. */
  readonly sources: boolean;
  /** Writes the results to `bench/RESULTS.md`. */
  readonly record: boolean;
  /** Writes a CPU profile of the gateway's main thread under the first selected load instead of comparing systems. */
  readonly profile: boolean;
}

/** @throws TypeError for an unknown flag */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      only: { type: 'string' },
      scenarios: { type: 'string' },
      'own-tools': { type: 'boolean', default: false },
      sources: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
    },
  });
  return {
    quick: values.quick,
    rounds: Number(values.rounds ?? (values.quick ? 1 : 5)),
    durationMs: 1000 * Number(values.seconds ?? (values.quick ? 1.5 : 3)),
    only: values.only?.split(','),
    scenarios: values.scenarios?.split(','),
    nodeTools: values['own-tools'],
    sources: values.sources,
    record: values.record,
    profile: values.profile,
  };
}

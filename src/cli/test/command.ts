import { type CliCommand, type CommandDeps, addCommand, addExamples } from '../builders.ts';
import type { TestFlags } from './index.ts';

/** Adds `gateway test`. */
export function addTest(program: CliCommand, { io, registry, toAction }: CommandDeps): void {
  const command = addCommand(program, 'test', 'run the tests in *.test.yaml files: scripted providers, no network, simulated time')
    .argument('[file...]', 'test files, folders or globs; default: *.test.yaml in the folders of the configuration')
    .option('--filter <text>', 'only tests whose file or name contains this text')
    .option('--junit <file>', 'also write the results to a file in JUnit format')
    .action(toAction(async (files: string[], flags: TestFlags) => (await import('./index.ts')).test(files, flags, io, registry)));
  addExamples(
    command,
    'gateway test',
    'gateway test configs/support.test.yaml --filter fallback',
    'gateway test -c gateway.yaml --junit results.xml',
  );
}

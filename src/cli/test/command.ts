import type { CliCommand, CommandDeps } from '../index.ts';
import type { TestFlags } from './index.ts';

/** Adds `gateway test`. */
export function addTest(command: CliCommand, { io, registry, does }: CommandDeps): void {
  command
    .argument('[file...]', 'test files, folders or globs; default: *.test.yaml in the folders of the configuration')
    .option('--filter <text>', 'only tests whose file or name contains this text')
    .option('--junit <file>', 'also write the results to a file in JUnit format')
    .action(does(async (files: string[], flags: TestFlags) => (await import('./index.ts')).test(files, flags, io, registry)))
    .addHelpText(
      'before',
      'Examples:\n  $ gateway test\n  $ gateway test configs/support.test.yaml --filter fallback\n  $ gateway test -c gateway.yaml --junit results.xml\n',
    );
}

import type { CliCommand, CommandDeps } from '../index.ts';
import type { FmtFlags } from './index.ts';

/** Adds the options and the action of `gateway fmt`. */
export function addFmt(command: CliCommand, { io, registry, does }: CommandDeps): void {
  command
    .argument('[file...]', 'files to format, or - for standard input; default: the configuration and the files that it includes')
    .option('--check', 'write nothing; exit code 1 if a file is not formatted')
    .option('--fix', 'also replace old names of keys')
    .action(does(async (files: string[], flags: FmtFlags) => (await import('./index.ts')).fmt(files, flags, io, registry)))
    .addHelpText(
      'before',
      'Examples:\n  $ gateway fmt\n  $ gateway fmt --check\n  $ gateway fmt --fix configs/support.yaml\n  $ gateway fmt - < gateway.yaml\n',
    );
}

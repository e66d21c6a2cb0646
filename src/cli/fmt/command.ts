import { type CliCommand, type CommandDeps, addCommand, addExamples } from '../builders.ts';
import type { FmtFlags } from './index.ts';

/** Adds `gateway fmt`. */
export function addFmt(program: CliCommand, { io, registry, toAction }: CommandDeps): void {
  const command = addCommand(program, 'fmt', 'format the configuration: order, names and spacing; keeps values and comments')
    .argument('[file...]', 'files to format, or - for standard input; default: the configuration and the files that it includes')
    .option('--check', 'write nothing; exit code 1 if a file is not formatted')
    .option('--fix', 'also replace old names of keys')
    .action(toAction(async (files: string[], flags: FmtFlags) => (await import('./index.ts')).fmt(files, flags, io, registry)));
  addExamples(command, 'gateway fmt', 'gateway fmt --check', 'gateway fmt --fix configs/support.yaml', 'gateway fmt - < gateway.yaml');
}

import { type CliCommand, type CommandDeps, addCommand, addExamples } from '../builders.ts';
import { fileOrStdin } from '../command.ts';
import type { ModelsFlags } from './index.ts';

/** Adds `gateway models`. */
export function addModels(program: CliCommand, { io, registry, toAction }: CommandDeps): void {
  const about = 'list the models that clients can use, with context length and price, offline';
  const command = addCommand(program, 'models', about, fileOrStdin)
    .option('--provider <slug>', 'only what this provider or virtual key serves')
    .action(toAction(async (flags: ModelsFlags) => (await import('./index.ts')).listModels(flags, io, registry)));
  addExamples(command, 'gateway models', 'gateway models --provider azure-eu --json');
}

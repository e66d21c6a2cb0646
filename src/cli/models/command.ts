import type { CliCommand, CommandDeps } from '../index.ts';
import type { ModelsFlags } from './index.ts';

/** Adds the option and the action of `gateway models`. */
export function addModels(command: CliCommand, { io, registry, does }: CommandDeps): void {
  command
    .option('--provider <slug>', 'only what this provider or virtual key serves')
    .action(does(async (flags: ModelsFlags) => (await import('./index.ts')).listModels(flags, io, registry)))
    .addHelpText('before', 'Examples:\n  $ gateway models\n  $ gateway models --provider azure-eu --json\n');
}

import type { CliCommand, CommandDeps } from '../index.ts';
import type { DoctorFlags } from './index.ts';

/** Adds the options of `gateway doctor`. */
export function addDoctor(command: CliCommand, { io, registry, does }: CommandDeps): void {
  command
    .option('--offline', 'open no connection: skip the running gateway, the providers and the system time')
    .action(does(async (flags: DoctorFlags) => (await import('./index.ts')).doctor(flags, io, registry)))
    .addHelpText('before', 'Examples:\n  $ gateway doctor\n  $ gateway doctor -c team.yaml --offline\n  $ gateway doctor --json\n');
}

import { type CliCommand, type CommandDeps, examples, remote } from '../builders.ts';
import type { DoctorFlags } from './index.ts';

/** Adds `gateway doctor`. */
export function addDoctor(program: CliCommand, { io, registry, does }: CommandDeps): void {
  const command = remote(program, 'doctor', 'check configuration, machine and network, with a fix for each problem')
    .option('--offline', 'open no connection: skip the running gateway, the providers and the system time')
    .action(does(async (flags: DoctorFlags) => (await import('./index.ts')).doctor(flags, io, registry)));
  examples(command, 'gateway doctor', 'gateway doctor -c team.yaml --offline', 'gateway doctor --json');
}

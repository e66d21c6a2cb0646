import { type CliCommand, type CommandDeps, addExamples, addRemoteCommand } from '../builders.ts';
import type { DoctorFlags } from './index.ts';

/** Adds `gateway doctor`. */
export function addDoctor(program: CliCommand, { io, registry, toAction }: CommandDeps): void {
  const command = addRemoteCommand(program, 'doctor', 'check configuration, machine and network, with a fix for each problem')
    .option('--offline', 'open no connection: skip the running gateway, the providers and the system time')
    .action(toAction(async (flags: DoctorFlags) => (await import('./index.ts')).doctor(flags, io, registry)));
  addExamples(command, 'gateway doctor', 'gateway doctor -c team.yaml --offline', 'gateway doctor --json');
}

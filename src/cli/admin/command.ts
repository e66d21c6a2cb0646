import { type CliCommand, type CommandDeps, addExamples, addRemoteCommand } from '../builders.ts';
import type { DrainFlags } from './change.ts';
import type { AdminFlags } from './target.ts';

/** Adds the commands for a running gateway: `status`, `reload`, `rollback`, `drain` and `dashboard`. */
export function addAdmin(program: CliCommand, { io, toAction }: CommandDeps): void {
  const status = addRemoteCommand(program, 'status', 'show the state of a running gateway; exit code 1 if its last reload failed').action(
    toAction(async (flags: AdminFlags) => (await import('./status.ts')).status(flags, io)),
  );
  addExamples(status, 'gateway status', 'gateway status --admin unix:/run/gateway/admin.sock --json');
  const reload = addRemoteCommand(program, 'reload', 'reload the configuration now, and show the result').action(
    toAction(async (flags: AdminFlags) => (await import('./change.ts')).reload(flags, io)),
  );
  addExamples(reload, 'gateway reload', 'gateway reload --json');
  const rollback = addRemoteCommand(program, 'rollback', 'serve an earlier revision until the file changes')
    .argument('[revision]', 'one of the last 20 revisions; default: the previous one')
    .action(
      toAction(async (revision: string | undefined, flags: AdminFlags) => (await import('./change.ts')).rollback(revision, flags, io)),
    );
  addExamples(rollback, 'gateway rollback', 'gateway rollback 8f3c2a1');
  const drain = addRemoteCommand(program, 'drain', 'stop accepting requests, finish those in progress, and stop the gateway')
    .option('--timeout <duration>', 'how long requests may continue; default server.drain.timeout')
    .action(toAction(async (flags: DrainFlags) => (await import('./change.ts')).drain(flags, io)));
  addExamples(drain, 'gateway drain', 'gateway drain --timeout 30s');
  const dashboard = addRemoteCommand(program, 'dashboard', 'print a one-time link to sign in to the dashboard').action(
    toAction(async (flags: AdminFlags) => (await import('./change.ts')).dashboard(flags, io)),
  );
  addExamples(dashboard, 'gateway dashboard', 'gateway dashboard --admin unix:/run/gateway/admin.sock');
}

import type { CliCommand, CommandDeps } from '../builders.ts';
import type { HealthFlags } from './index.ts';

/** Adds `gateway health`. */
export function addHealth(program: CliCommand, { io, toAction }: CommandDeps): void {
  program
    .command('health')
    .description('show whether a running gateway is ready, and the result of its last reload; exit code 0 if ready, otherwise 1')
    .option('-c, --config <file>', 'configuration file with the address: probe_listen, otherwise listen')
    .option('--url <url>', 'address of the gateway: http://host:port, host:port or unix:/path')
    .option('--timeout <duration>', 'timeout of the whole request', '2s')
    .option('--ready', 'the default: exit code 0 only if the gateway is ready')
    .option('--strict', 'exit code 1 also when the last reload failed')
    .option('--json', 'print JSON')
    .action(toAction(async (flags: HealthFlags) => (await import('./index.ts')).health(flags, io)))
    .addHelpText(
      'before',
      'Examples:\n  $ gateway health\n  $ gateway health --strict --json\n  $ gateway health --url http://127.0.0.1:9000 --timeout 1s\n',
    );
}

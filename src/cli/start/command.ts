import { type CliCommand, type CommandDeps, addExamples, choiceOption } from '../builders.ts';
import { fileOrStdin } from '../command.ts';
import { listenFlag, workersFlag } from './flag-values.ts';
import type { StartFlags } from './index.ts';

/** Adds `gateway start`. */
export function addStart(program: CliCommand, { io, registry, loader, toAction }: CommandDeps): void {
  const start = program
    .command('start')
    .description('run the gateway; without a configuration file, with a mock provider for trying it out')
    .option('-c, --config <file>', fileOrStdin)
    .option('--listen <address>', 'host:port or unix:/path of the data listener', listenFlag('--listen'))
    .option('--probe-listen <address>', 'a second listener with only /healthz, /readyz and /metrics', listenFlag('--probe-listen'))
    .option('--admin-listen <address>', 'host:port or unix:/path of the dashboard and the admin API', listenFlag('--admin-listen'))
    .option('--no-admin', 'no dashboard and no admin API')
    .option('--workers <number>', 'number of worker processes, or auto for one per core', workersFlag)
    .option('--no-watch', 'do not reload when a file changes')
    .addOption(choiceOption('--log-format <format>', 'format of log lines', ['auto', 'pretty', 'json']))
    .addOption(choiceOption('--log-level <level>', 'minimum level that is logged', ['debug', 'info', 'warn', 'error']))
    .option('--allow-missing-secrets', 'disable providers with unset secrets instead of failing to start')
    .option('--last-good', 'if the file is invalid, start with the last valid copy')
    .action(toAction(async (flags: StartFlags) => (await import('./index.ts')).start(flags, io, registry, { loader })));
  addExamples(start, 'gateway start', 'gateway start -c team.yaml', 'gateway start --listen 127.0.0.1:9000 --log-format json');
}

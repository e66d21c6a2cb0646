import type { CliCommand, CommandDeps } from '../builders.ts';
import type { BenchFlags } from './index.ts';

/** Adds `gateway bench`. */
export function addBench(program: CliCommand, { io, toAction }: CommandDeps): void {
  program
    .command('bench')
    .description('measure the latency that the gateway adds, with a temporary gateway and a mock upstream on this machine')
    .option('--stream', 'request streams, and measure the time to their first bytes')
    .option('--concurrency <number>', 'number of requests at the same time, at most 256', '8')
    .option('--duration <duration>', 'how long to measure, at most 2m', '10s')
    .option('--json', 'print JSON')
    .action(toAction(async (flags: BenchFlags) => (await import('./index.ts')).bench(flags, io)))
    .addHelpText('before', 'Examples:\n  $ gateway bench\n  $ gateway bench --stream --concurrency 32 --duration 30s\n');
}

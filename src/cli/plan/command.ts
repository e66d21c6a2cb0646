import type { CliCommand, CommandDeps } from '../index.ts';
import type { PlanFlags } from './index.ts';

/** Adds the options of `gateway plan`. */
export function addPlan(command: CliCommand, { io, registry, does }: CommandDeps): void {
  command
    .option('--against <what>', 'what to compare with: running, another file, or git:REVISION for the same file in git', 'running')
    .option('--sample <number>', 'number of recorded requests to explain under the file; 0 for none', '1000')
    .option('--exit-code', 'exit code 1 when there are changes')
    .addOption(command.createOption('--format <format>', 'output format').choices(['text', 'markdown']).default('text'))
    .action(does(async (flags: PlanFlags) => (await import('./index.ts')).plan(flags, io, registry)))
    .addHelpText(
      'before',
      'Examples:\n  $ gateway plan\n  $ gateway plan -c new.yaml --against gateway.yaml --exit-code\n  $ gateway plan --against git:main --format markdown\n',
    );
}

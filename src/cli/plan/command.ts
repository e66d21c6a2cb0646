import { type CliCommand, type CommandDeps, addExamples, choiceOption, addRemoteCommand } from '../builders.ts';
import type { PlanFlags } from './index.ts';

/** Adds `gateway plan`. */
export function addPlan(program: CliCommand, { io, registry, toAction }: CommandDeps): void {
  const command = addRemoteCommand(
    program,
    'plan',
    'compare the file with the running configuration, and show where recorded requests would go',
  )
    .option('--against <what>', 'what to compare with: running, another file, or git:REVISION for the same file in git', 'running')
    .option('--sample <number>', 'number of recorded requests to explain under the file; 0 for none', '1000')
    .option('--exit-code', 'exit code 1 when there are changes')
    .addOption(choiceOption('--format <format>', 'output format', ['text', 'markdown']).default('text'))
    .action(toAction(async (flags: PlanFlags) => (await import('./index.ts')).plan(flags, io, registry)));
  addExamples(
    command,
    'gateway plan',
    'gateway plan -c new.yaml --against gateway.yaml --exit-code',
    'gateway plan --against git:main --format markdown',
  );
}

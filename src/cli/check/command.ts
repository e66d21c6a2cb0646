import { type CliCommand, type CommandDeps, addExamples, choiceOption } from '../builders.ts';
import type { CheckFlags } from './index.ts';

/** Adds `gateway check`. */
export function addCheck(program: CliCommand, { io, registry, toAction }: CommandDeps): void {
  const check = program
    .command('check')
    .description('validate the configuration; offline without --live')
    .argument('[file...]', 'configuration files, or - for standard input')
    .option('-c, --config <file>', 'the same as the argument')
    .addOption(choiceOption('--format <format>', 'output format', ['pretty', 'short', 'json', 'github']).default('pretty'))
    .option('--json', 'the same as --format json')
    .option('--strict', 'treat warnings as errors')
    .option('--live', 'then test the providers, as gateway providers test does')
    .option('--allow-missing-secrets', 'switch providers with unset secrets off instead of reporting errors')
    .action(toAction(async (files: string[], flags: CheckFlags) => (await import('./index.ts')).check(files, flags, io, registry)));
  addExamples(check, 'gateway check', 'gateway check team.yaml --strict', 'cat team.yaml | gateway check - --format json');
}

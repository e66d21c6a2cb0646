import { type CliCommand, type CommandDeps, collect, addExamples, addRemoteCommand } from '../builders.ts';
import type { ExplainFlags } from './request.ts';

/** Adds `gateway explain`. */
export function addExplain(program: CliCommand, { io, registry, toAction }: CommandDeps): void {
  const command = addRemoteCommand(
    program,
    'explain',
    'explain what would happen to a request: route, upstream request and why; sends nothing',
  )
    .option('--body <json>', 'body of the request: JSON, @file, or - for standard input')
    .option('--header <header>', "header of the request, as 'name: value'; repeatable", collect)
    .option('--method <method>', 'method of the request')
    .option('--path <path>', 'path of the request; default /v1/chat/completions')
    .option('--model <model>', 'model of the body')
    .option('--user <text>', 'user message that replaces the messages of the body')
    .option('--config-name <name>', 'config that the request names')
    .option('--key <name>', 'name of the API key whose rules apply')
    .option('--from-log <id>', 'a recorded request of the running gateway, changed by the other options')
    .option('--assume <slug=outcome>', 'what a provider responds: a status, timeout or reset; repeatable', collect)
    .option('--random <number>', 'seed of the choice between weights, from 0 to below 1: the same number chooses the same targets')
    .option('--running', 'use the configuration of the running gateway, not the file')
    .option('--as-curl', 'print the upstream call for a shell, credentials as variables')
    .action(toAction(async (flags: ExplainFlags) => (await import('./index.ts')).explain(flags, io, registry)));
  addExamples(
    command,
    'gateway explain --model gpt-4o-mini --user "hi" --config-name support',
    'gateway explain --key app-web --body @request.json --assume openai-main=429',
    'gateway explain --from-log req_01JD3M… -c new.yaml',
    'gateway explain --model @claude/claude-sonnet-4-5 --as-curl',
  );
}

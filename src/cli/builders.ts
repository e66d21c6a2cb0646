import { Command, Option } from 'commander';
import type { Loader } from '../config/reload/loader.ts';
import type { Registry } from '../gateway/types.ts';
import type { CliIo } from './io.ts';

/** Command of the parser. */
export type CliCommand = Command;

/** Input for creating the commands. */
export interface CommandDeps {
  readonly io: CliIo;
  readonly registry: Registry;
  /** Loader for `start`, prepared in advance. */
  readonly loader?: Loader | undefined;
  /** Makes a command's action from a function that resolves to the exit code. */
  toAction(run: (...given: never[]) => Promise<number>): (...given: unknown[]) => Promise<void>;
}

/** Adds a command whose subcommands do the work. */
export const addGroup = (parent: CliCommand, name: string, about: string): CliCommand =>
  parent.command(name).helpCommand(false).description(about);

/** Adds a command with the common options. */
export function addCommand(parent: CliCommand, name: string, about: string, config = 'configuration file'): CliCommand {
  const command = parent.command(name).description(about);
  return command.option('-c, --config <file>', config).option('--json', 'print JSON');
}

/** Adds a command that calls a running gateway through its admin API. */
export function addRemoteCommand(parent: CliCommand, name: string, about: string): CliCommand {
  return addCommand(parent, name, about, 'configuration file with the address and the token').option(
    '--admin <address>',
    'address of the admin listener: http://host:port, host:port or unix:/path; default $GATEWAY_ADMIN, then server.admin.listen',
  );
}

/** Adds examples at the start of the help. */
export function addExamples(command: CliCommand, ...lines: readonly string[]): void {
  if (lines.length > 0) command.addHelpText('before', `Examples:\n${lines.map((line) => `  $ ${line}\n`).join('')}`);
}

/** Adds examples to subcommands, by their names. */
export function addExamplesTo(parent: CliCommand, examples: Readonly<Record<string, readonly string[]>>): void {
  for (const command of parent.commands) addExamples(command, ...(examples[command.name()] ?? []));
}

export const choiceOption = (flags: string, about: string, choices: readonly string[]): Option => new Option(flags, about).choices(choices);

/** Collects the values of an option that may be repeated. */
export const collect = (one: string, before: readonly string[] = []): string[] => [...before, one];

import type { CliCommand } from '../builders.ts';
import { helpTopics } from '../help.ts';

/** What is written in one place: the value of an option, or an argument. */
export type ValueKind = 'file' | 'any' | readonly string[];

/** A word to propose, with its description. */
export interface Suggestion {
  readonly text: string;
  readonly about: string;
}

export interface Flag {
  /** `-c`, `--config`. */
  readonly names: readonly string[];
  readonly about: string;
  /** Undefined for a flag without a value. */
  readonly value: ValueKind | undefined;
}

/** A command, and what may follow its name. */
export interface CommandNode {
  /** Names of the command and its parents, such as `keys create`; empty for the program. */
  readonly path: string;
  readonly commands: readonly Suggestion[];
  readonly flags: readonly Flag[];
  /** The first argument; undefined if there is none. */
  readonly argument: ValueKind | undefined;
}

/** The program and all its commands, for the completion scripts. Hidden commands and options are omitted. */
export function commandNodes(program: CliCommand): readonly CommandNode[] {
  return [...nodesBelow(program, ''), ...helpNodes(program, 'help', flagsOf(program))];
}

function nodesBelow(command: CliCommand, path: string): CommandNode[] {
  const help = command.createHelp();
  const inner = help.visibleCommands(command).filter((one) => path !== '' || one.name() !== 'help');
  const commandNode: CommandNode = {
    path,
    commands: help.visibleCommands(command).map(suggestionOf),
    flags: flagsOf(command),
    argument: argumentOf(command),
  };
  return [commandNode, ...inner.flatMap((one) => nodesBelow(one, joinPath(path, one.name())))];
}

/** `help` takes its topics, the names of commands and subcommands, and the global flags. */
function helpNodes(command: CliCommand, path: string, flags: readonly Flag[]): CommandNode[] {
  const help = command.createHelp();
  const inner = help.visibleCommands(command);
  const commands = inner.map(suggestionOf);
  if (path === 'help') {
    const topics = helpTopics.filter((text) => !commands.some((one) => one.text === text));
    commands.push(...topics.map((text) => ({ text, about: 'topic of the help' })));
  }
  return [{ path, commands, flags, argument: undefined }, ...inner.flatMap((one) => helpNodes(one, joinPath(path, one.name()), flags))];
}

const joinPath = (path: string, name: string): string => (path === '' ? name : `${path} ${name}`);

const suggestionOf = (command: CliCommand): Suggestion => ({ text: command.name(), about: command.description() });

/** Flags of a command, with the global ones. */
function flagsOf(command: CliCommand): Flag[] {
  const help = command.createHelp();
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)].map(flagOf);
}

function flagOf(option: CliCommand['options'][number]): Flag {
  const names = [option.short, option.long].filter((one) => one !== undefined && one !== null);
  return { names, about: option.description, value: option.required ? valueOf(option.argChoices, placeholder(option.flags)) : undefined };
}

function argumentOf({ registeredArguments: [first] }: CliCommand): ValueKind | undefined {
  return first === undefined ? undefined : valueOf(first.argChoices, first.name());
}

/** Name of an option's value: `file` in `-c, --config <file>`. */
const placeholder = (flags: string): string => /<([^>.]+)/.exec(flags)?.[1] ?? '';

/** A value that is the name of a file has the placeholder `file`. */
const valueOf = (choices: readonly string[] | undefined, name: string): ValueKind => choices ?? (name === 'file' ? 'file' : 'any');

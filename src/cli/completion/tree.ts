import type { CliCommand } from '../builders.ts';
import { helpTopics } from '../help.ts';

/** What is written in one place: the value of an option, or an argument. */
export type Value = 'file' | 'any' | readonly string[];

/** A word to propose, with its description. */
export interface Word {
  readonly text: string;
  readonly about: string;
}

export interface Flag {
  /** `-c`, `--config`. */
  readonly names: readonly string[];
  readonly about: string;
  /** Undefined for a flag without a value. */
  readonly value: Value | undefined;
}

/** A command, and what may follow its name. */
export interface Place {
  /** Names of the command and its parents, such as `keys create`; empty for the program. */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly flags: readonly Flag[];
  /** The first argument; undefined if there is none. */
  readonly argument: Value | undefined;
}

/** The program and all its commands, for the completion scripts. Hidden commands and options are omitted. */
export function placesOf(program: CliCommand): readonly Place[] {
  return [...below(program, ''), ...helpPlaces(program, 'help')];
}

function below(command: CliCommand, path: string): Place[] {
  const help = command.createHelp();
  const inner = help.visibleCommands(command).filter((one) => path !== '' || one.name() !== 'help');
  const own: Place = {
    path,
    commands: help.visibleCommands(command).map(wordOf),
    flags: help.visibleOptions(command).map(flagOf),
    argument: argumentOf(command),
  };
  return [own, ...inner.flatMap((one) => below(one, joined(path, one.name())))];
}

/** `help` takes its topics, and the names of commands and subcommands. */
function helpPlaces(command: CliCommand, path: string): Place[] {
  const help = command.createHelp();
  const inner = help.visibleCommands(command);
  const commands = inner.map(wordOf);
  if (path === 'help') {
    const topics = helpTopics.filter((text) => !commands.some((one) => one.text === text));
    commands.push(...topics.map((text) => ({ text, about: 'topic of the help' })));
  }
  return [{ path, commands, flags: [], argument: undefined }, ...inner.flatMap((one) => helpPlaces(one, joined(path, one.name())))];
}

const joined = (path: string, name: string): string => (path === '' ? name : `${path} ${name}`);

const wordOf = (command: CliCommand): Word => ({ text: command.name(), about: command.description() });

function flagOf(option: CliCommand['options'][number]): Flag {
  const names = [option.short, option.long].filter((one) => one !== undefined && one !== null);
  return { names, about: option.description, value: option.required ? valueOf(option.argChoices, placeholder(option.flags)) : undefined };
}

function argumentOf({ registeredArguments: [first] }: CliCommand): Value | undefined {
  return first === undefined ? undefined : valueOf(first.argChoices, first.name());
}

/** Name of an option's value: `file` in `-c, --config <file>`. */
const placeholder = (flags: string): string => /<([^>.]+)/.exec(flags)?.[1] ?? '';

/** A value that is the name of a file has the placeholder `file`. */
const valueOf = (choices: readonly string[] | undefined, name: string): Value => choices ?? (name === 'file' ? 'file' : 'any');

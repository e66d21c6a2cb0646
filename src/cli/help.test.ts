import { expect, it } from 'vitest';
import type { CliCommand } from './builders.ts';
import { createProgram } from './index.ts';
import { processIo } from './io.ts';

function helpOf(command: CliCommand): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => void (text += part) }).outputHelp();
  return text;
}

const commandsOf = (command: CliCommand): readonly CliCommand[] => [command, ...command.commands.flatMap(commandsOf)];

it('the help of a command fits a narrow terminal', () => {
  const program = createProgram(processIo(), { providers: [], stages: [] }, () => undefined);
  for (const command of commandsOf(program)) command.configureOutput({ getOutHelpWidth: () => 60 });
  const start = program.commands.find((command) => command.name() === 'start') ?? expect.fail();
  const wide = [program, start].flatMap((command) => helpOf(command).split('\n')).filter((line) => line.length > 60);
  expect(wide).toEqual([]);
});

it('the help of each command begins with examples of it', () => {
  const program = createProgram(processIo(), { providers: [], stages: [] }, () => undefined);
  const without = commandsOf(program)
    .filter((command) => !['help', 'version'].includes(command.name()))
    .filter((command) => !new RegExp(String.raw`^Examples:\n.*\b${command.name()}\b`).test(helpOf(command)));
  expect(without.map((command) => command.name())).toEqual([]);
});

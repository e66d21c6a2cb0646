import { type CliCommand, collect, type CommandDeps, addCommand, addExamples, addExamplesTo, addGroup } from '../builders.ts';
import { type CommonFlags, fileOrStdin } from '../command.ts';
import type { RenderFlags } from './index.ts';

/** Adds `gateway prompts`. */
export function addPrompts(program: CliCommand, { io, registry, toAction }: CommandDeps): void {
  const parent = addGroup(program, 'prompts', 'list and render stored prompts');
  addCommand(parent, 'list', 'list all prompts with versions, labels and variables', fileOrStdin).action(
    toAction(async (flags: CommonFlags) => (await import('./index.ts')).listPrompts(flags, io, registry)),
  );
  addCommand(parent, 'render', 'print the messages and parameters that a call would send, without sending them', fileOrStdin)
    .argument('<name>', 'a prompt: welcome, welcome@2, welcome@latest, welcome@production')
    .option('--var <name=value>', 'a variable; JSON unless the prompt declares it as a string', collect)
    .option('--var-file <name=path>', 'a variable whose value is the content of a file', collect)
    .action(toAction(async (name: string, flags: RenderFlags) => (await import('./index.ts')).renderPrompt(name, flags, io, registry)));
  addExamplesTo(parent, {
    list: ['gateway prompts list', 'gateway prompts list --json'],
    render: ['gateway prompts render welcome --var product=Kite', 'gateway prompts render welcome@2 --var-file question=mail.txt --json'],
  });
  addExamples(
    parent,
    'gateway prompts list',
    'gateway prompts render welcome --var product=Kite',
    'gateway prompts render welcome@2 --var-file question=mail.txt --json',
  );
}

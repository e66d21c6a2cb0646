import { type CommonFlags, fileOrStdin } from '../command.ts';
import type { GroupDeps } from '../index.ts';
import type { RenderFlags } from './index.ts';

/** Adds the subcommands of `gateway prompts`. */
export function addPrompts({ parent, common, io, registry, does }: GroupDeps): void {
  common('list', 'list all prompts with versions, labels and variables', fileOrStdin).action(
    does(async (flags: CommonFlags) => (await import('./index.ts')).listPrompts(flags, io, registry)),
  );
  common('render', 'print the messages and parameters that a call would send, without sending them', fileOrStdin)
    .argument('<name>', 'a prompt: welcome, welcome@2, welcome@latest, welcome@production')
    .option('--var <name=value>', 'a variable; JSON unless the prompt declares it as a string', collect)
    .option('--var-file <name=path>', 'a variable whose value is the content of a file', collect)
    .action(does(async (name: string, flags: RenderFlags) => (await import('./index.ts')).renderPrompt(name, flags, io, registry)));
  parent.addHelpText(
    'before',
    'Examples:\n  $ gateway prompts list\n  $ gateway prompts render welcome --var product=Kite\n  $ gateway prompts render welcome@2 --var-file question=mail.txt --json\n',
  );
}

const collect = (one: string, before: readonly string[] = []): string[] => [...before, one];

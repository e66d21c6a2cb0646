import type { CliCommand, CommandDeps } from '../builders.ts';

/** Shells for which a script can be printed. */
const shells = ['bash', 'zsh', 'fish'] as const;

/** Adds `gateway completion`. */
export function addCompletion(program: CliCommand, { io, toAction }: CommandDeps): void {
  const command = program
    .command('completion')
    .description('print a script that completes commands, options and file names in your shell')
    .argument('<shell>', shells.join(', '))
    .action(
      toAction(async (shell: (typeof shells)[number]) => {
        io.stdout.write((await import('./index.ts')).completionScript(shell, program));
        return 0;
      }),
    )
    .addHelpText(
      'before',
      'Examples:\n  $ source <(gateway completion bash)\n  $ gateway completion zsh > ~/.zfunc/_gateway\n  $ gateway completion fish > ~/.config/fish/completions/gateway.fish\n',
    );
  command.registeredArguments[0]?.choices(shells);
}

import type { CliCommand } from '../builders.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { commandNodes } from './tree.ts';
import { zshScript } from './zsh.ts';

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** Completion script of a shell, made from the commands that parse the arguments. */
export const completionScript = (shell: keyof typeof scripts, program: CliCommand): string => scripts[shell](commandNodes(program));

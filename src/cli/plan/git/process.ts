import { execFile } from 'node:child_process';
import { printable } from '../../../core/text/printable.ts';
import { CommandError, exitCodes } from '../../command.ts';
import type { CliIo } from '../../io.ts';

/** How long one call of git may take, and the most it may print; far above what a repository of configurations needs. */
const timeout = 20_000;
const maxOutput = 64 * 1024 * 1024;

/** Runs git in a folder. Resolves with what it printed. Rejects with a CommandError. */
export type Git = (args: readonly string[], input?: string) => Promise<Buffer>;

/** Git itself reported an error. */
export class GitError extends CommandError {
  /** @param message first line of git's error message; may be '' */
  constructor(message: string) {
    super(exitCodes.invalid, `git failed${message === '' ? '' : `: ${message}`}`);
  }
}

/** Git is called without a shell. It finds the repository from the folder, also if it runs in a hook of another one. */
export function gitIn(folder: string, { cwd, env }: Pick<CliIo, 'cwd' | 'env'>): Git {
  const { GIT_DIR: _dir, GIT_WORK_TREE: _tree, ...others } = env;
  const options = {
    cwd,
    env: { ...others, LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' },
    encoding: 'buffer',
    timeout,
    killSignal: 'SIGKILL',
    maxBuffer: maxOutput,
    windowsHide: true,
  } as const;
  return (args, input) =>
    new Promise((resolve, reject) => {
      const child = execFile('git', ['-C', folder, '--no-pager', ...args], options, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(failure(error, stderr));
      });
      // Git may end before it has read everything: its exit code is the error then.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(input);
    });
}

function failure({ code, killed }: { readonly code?: unknown; readonly killed?: boolean | undefined }, stderr: Buffer): CommandError {
  if (code === 'ENOENT') return new CommandError(exitCodes.invalid, 'git was not found', 'Install git, or add its folder to PATH.');
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
    return new CommandError(exitCodes.invalid, `git printed more than ${maxOutput / 1024 / 1024} MiB`);
  }
  if (killed === true) return new CommandError(exitCodes.invalid, `git did not end within ${timeout / 1000} s`);
  const message = stderr.toString('utf8').split('\n', 1)[0] ?? '';
  return new GitError(printable(message.replace(/^fatal: /, '').slice(0, 300)));
}

import { readKeys } from '../../config/edit/written.ts';
import type { OpenConfig } from '../../manage/keys/shared.ts';
import { needConfig } from '../find-config.ts';
import { type Diagnostic, isError } from '../../config/report/diagnostic.ts';
import type { Registry } from '../../gateway/types.ts';
import { CommandError, exitCodes, sameFile, type CommonFlags } from '../command.ts';
import type { CliIo } from '../io.ts';
import { load } from '../load.ts';
import { plural } from '../../core/text/wording.ts';

/** Finds and reads the configuration. @throws CommandError if it does not exist or cannot be read */
export function openConfig(flags: CommonFlags, io: CliIo): OpenConfig {
  const found = needConfig(flags.config, io, 'Name a file: -c FILE');
  if (!('path' in found)) throw new CommandError(exitCodes.usage, 'keys are kept in files: standard input cannot be the configuration');
  const written = readKeys(found, io);
  if (written.broken.length > 0)
    throw new CommandError(exitCodes.invalid, `${written.broken.join(' and ')} cannot be read`, `Run: ${sameFile('gateway check', flags)}`);
  return { ...written, path: found.path };
}

/**
 * Why a running gateway does not apply the configuration, as the end of a sentence; undefined if it does. Until it is corrected, the
 * gateway keeps the keys that it has.
 */
export async function whyNotApplied({ path }: OpenConfig, flags: CommonFlags, io: CliIo, registry: Registry): Promise<string | undefined> {
  return invalidText((await load({ path }, io, registry)).diagnostics, flags);
}

/** The errors that a gateway would have with the configuration, as text. */
export function invalidText(diagnostics: readonly Diagnostic[], flags: CommonFlags): string | undefined {
  // A secret that is set on the gateway's machine may be missing here.
  const { length } = diagnostics.filter((one) => isError(one) && one.code !== 'unset-variable' && one.code !== 'unreadable-file');
  return length === 0 ? undefined : `the configuration has ${plural(length, 'other error')}: ${sameFile('gateway check', flags)}`;
}

/**
 * Prints a new secret, which is nowhere else. If it cannot be written, the change is undone.
 *
 * @returns the exit code
 */
export const printSecret = (io: CliIo, text: string, undo?: () => void): Promise<number> =>
  new Promise((resolve) => {
    // Not later: the process ends soon after an error of its output.
    const written = (error?: Error | null): void => {
      if (error === undefined || error === null) {
        resolve(exitCodes.yes);
        return;
      }
      undo?.();
      io.stderr.write('error: nobody could read the new key, so nothing was changed\n');
      resolve(exitCodes.no);
    };
    io.stdout.write(text, written);
  });

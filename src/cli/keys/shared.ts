import { readKeys } from '../../config/edit/written.ts';
import type { OpenConfig } from '../../manage/keys/shared.ts';
import { needConfig } from '../find-config.ts';
import { CommandError, exitCodes, type CommonFlags } from '../command.ts';
import type { CliIo } from '../io.ts';

/** Finds and reads the configuration. @throws CommandError if it does not exist or cannot be read */
export function openConfig(flags: CommonFlags, io: CliIo): OpenConfig {
  const found = needConfig(flags.config, io, 'Name a file: -c FILE');
  if (!('path' in found)) throw new CommandError(exitCodes.usage, 'keys are kept in files: standard input cannot be the configuration');
  const written = readKeys(found, io);
  if (written.broken.length > 0)
    throw new CommandError(exitCodes.invalid, `${written.broken.join(' and ')} cannot be read`, 'Run: gateway check');
  return { ...written, path: found.path };
}

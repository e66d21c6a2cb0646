import { revoke } from '../../manage/keys/change.ts';
import { editKey } from '../../manage/keys/files.ts';
import { keyNamed } from '../../manage/keys/shared.ts';
import { openConfig } from './shared.ts';
import { exitCodes, type CommonFlags } from '../command.ts';
import { jsonText, barePath } from '../text.ts';
import type { CliIo } from '../io.ts';

/**
 * `gateway keys revoke NAME`: the gateway rejects all secrets of the key from now on. The entry stays, so that callers get the
 * reason and the name is not reused by mistake. Returns the exit code.
 */
export async function revokeKey(name: string, flags: CommonFlags, io: CliIo): Promise<number> {
  const written = keyNamed(name, openConfig(flags, io));
  const { revoked } = revoke(written, Date.now());
  editKey(written, { revoked }, io.cwd);
  const file = barePath(written.file, io.cwd);
  if (flags.json === true) io.stdout.write(jsonText({ name, revoked, file }));
  else io.stdout.write(`revoked api key "${name}" in ${file}: a running gateway rejects it from now on.\n`);
  return exitCodes.yes;
}

import { revoke } from '../../manage/keys/change.ts';
import { editKey } from '../../manage/keys/files.ts';
import { keyNamed } from '../../manage/keys/shared.ts';
import { openConfig, whyNotApplied } from './shared.ts';
import { exitCodes, type CommonFlags } from '../command.ts';
import { jsonText } from '../text.ts';
import type { CliIo } from '../io.ts';
import type { Registry } from '../../gateway/types.ts';
import { barePath } from '../../core/text/display-path.ts';

/**
 * `gateway keys revoke NAME`: the gateway rejects all secrets of the key from now on. The entry stays, so that callers get the
 * reason and the name is not reused by mistake. Returns the exit code: that of an invalid configuration if it keeps a running gateway
 * from applying the change.
 */
export async function revokeKey(name: string, flags: CommonFlags, io: CliIo, registry: Registry): Promise<number> {
  const config = openConfig(flags, io);
  const written = keyNamed(name, config);
  const { revoked } = revoke(written, Date.now());
  editKey(written, { revoked }, io.cwd);
  const file = barePath(written.file, io.cwd);
  const invalid = await whyNotApplied(config, flags, io, registry);
  if (flags.json === true) io.stdout.write(jsonText({ name, revoked, file }));
  else
    io.stdout.write(`revoked api key "${name}" in ${file}${invalid === undefined ? ': a running gateway rejects it from now on' : ''}.\n`);
  if (invalid === undefined) return exitCodes.yes;
  io.stderr.write(`warning: a running gateway still accepts it, ${invalid}\n`);
  return exitCodes.invalid;
}

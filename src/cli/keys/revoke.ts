import { editKey } from './files.ts';
import { exit, keyNamed, KeysFault, type KeysFlags, type KeysIo, openConfig, reported, shown, stateOf, timeText } from './shared.ts';

/**
 * `gateway keys revoke NAME`: every secret of the key is refused from now on. The entry stays, so that callers are told
 * what happened and the name is not given to somebody else by mistake. Returns the exit code.
 */
export function revokeKey(name: string, flags: KeysFlags, io: KeysIo): Promise<number> {
  return reported(io, () => {
    const written = keyNamed(name, openConfig(flags, io));
    if (stateOf(written.entry, io.now()) === 'revoked')
      throw new KeysFault(exit.no, `the key "${name}" is already revoked (${written.entry.revoked})`);
    const revoked = timeText(io.now());
    editKey(written, { revoked }, io.cwd);
    const file = shown(written.file, io.cwd);
    if (flags.json === true) io.stdout(`${JSON.stringify({ name, revoked, file }, null, 2)}\n`);
    else io.stdout(`revoked api key "${name}" in ${file}: a running gateway rejects it from now on.\n`);
    return exit.done;
  });
}

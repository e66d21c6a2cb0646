import { editKey } from '../../manage/keys/files.ts';
import { rotate } from '../../manage/keys/change.ts';
import { keyNamed } from '../../manage/keys/shared.ts';
import { openConfig, printSecret, whyNotApplied } from './shared.ts';
import { exitCodes, type CommonFlags } from '../command.ts';
import { jsonText } from '../text.ts';
import type { CliIo } from '../io.ts';
import type { Registry } from '../../gateway/types.ts';
import { barePath } from '../../core/text/display-path.ts';

export interface RotateFlags extends CommonFlags {
  readonly overlap: string;
}

/** `gateway keys rotate NAME`: issues a second secret; the old one works until the overlap ends. Returns the exit code. */
export async function rotateKey(name: string, flags: RotateFlags, io: CliIo, registry: Registry): Promise<number> {
  const config = openConfig(flags, io);
  const written = keyNamed(name, config);
  const { key, until, older, members } = rotate(written, flags.overlap, Date.now());
  const undo = editKey(written, members, io.cwd, config.texts[written.file]);
  const invalid = await whyNotApplied(config, flags, io, registry);
  const text = textOf({ name, key, until, older, file: barePath(written.file, io.cwd), invalid }, flags);
  const code = await printSecret(io, text, undo);
  if (code === exitCodes.yes && invalid !== undefined) io.stderr.write(`warning: the new secret does not work yet, ${invalid}\n`);
  return code;
}

interface Rotated {
  readonly name: string;
  readonly key: string;
  readonly until: string | undefined;
  readonly older: number;
  readonly file: string;
  readonly invalid: string | undefined;
}

function textOf({ name, key, until, older, file, invalid }: Rotated, { json }: RotateFlags): string {
  if (json === true) return jsonText({ name, key, previous_until: until ?? null, file });
  const earlier = older === 0 ? '' : ' Secrets of earlier rotations work until their overlap ends; gateway keys list shows them.';
  const old =
    until === undefined
      ? `The old secret is no longer valid.${earlier}`
      : `The old secret works until ${until}; gateway keys list shows which one clients use.`;
  const where = `written to ${file} (hash only)${invalid === undefined ? '; a running gateway accepts it at once' : ''}.`;
  return `new secret of api key "${name}"\n\n  ${key}\n\nThe key is shown only once. ${old}\n${where}\n`;
}

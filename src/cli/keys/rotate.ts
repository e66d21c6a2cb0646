import { randomInt } from 'node:crypto';
import { issueKey, shownPrefix } from '../../core/secrets/key.ts';
import { parseDuration } from '../../core/text/units.ts';
import { editKey } from './files.ts';
import { digestOf, keyNamed, openConfig, sha256, stateOf, timeOf, timeText } from './shared.ts';
import { CommandError, exitCodes, type CommonFlags } from '../command.ts';
import { jsonText, barePath } from '../text.ts';
import type { CliIo } from '../io.ts';

export interface RotateFlags extends CommonFlags {
  readonly overlap: string;
}

/** A year: longer is no overlap but a second key. */
const longestOverlap = 366 * 86_400_000;

/** `gateway keys rotate NAME`: issues a second secret; the one before works until the overlap ends. Returns the exit code. */
export async function rotateKey(name: string, flags: RotateFlags, io: CliIo): Promise<number> {
  const overlap = parseDuration(flags.overlap);
  if (overlap === undefined || overlap > longestOverlap || !/[a-z]$/i.test(flags.overlap))
    throw new CommandError(
      exitCodes.usage,
      `--overlap must be a duration with a unit, not "${flags.overlap}"`,
      'For example 24h, 7d, or 0s to end the old secret at once.',
    );
  const written = keyNamed(name, openConfig(flags, io));
  const { entry } = written;
  const now = Date.now();
  const state = stateOf(entry, now);
  if (state !== 'active')
    throw new CommandError(
      exitCodes.no,
      `the key "${name}" is ${state}; a new secret would not work`,
      'Create another key with: gateway keys create',
    );
  if (digestOf(entry.hash) === undefined)
    throw new CommandError(exitCodes.invalid, `the key "${name}" has no readable hash`, 'Run: gateway check');
  const key = issueKey(entry.prefix?.startsWith('gw_test_') === true ? 'test' : 'live', randomInt);
  const until = timeText(now + overlap);
  const older = (entry.previous ?? []).filter((one) => (timeOf(one.until) ?? 0) > now);
  const last = { hash: entry.hash ?? '', ...(entry.prefix === undefined ? {} : { prefix: entry.prefix }), until };
  const previous = overlap === 0 ? older : [last, ...older];
  const keepsList = previous.length > 0 || entry.previous !== undefined;
  const members = {
    hash: `sha256:${sha256(key)}`,
    prefix: shownPrefix(key) ?? '',
    ...(keepsList ? { previous: previous.map(plain) } : {}),
  };
  editKey(written, members, io.cwd);
  print({ name, key, until: overlap === 0 ? undefined : until, file: barePath(written.file, io.cwd) }, flags, io);
  return exitCodes.yes;
}

/** In the order in which it is written. */
function plain({ hash, prefix, until }: { hash: string; prefix?: string; until: string }): Record<string, string> {
  return { hash, ...(prefix === undefined ? {} : { prefix }), until };
}

interface Rotated {
  readonly name: string;
  readonly key: string;
  readonly until: string | undefined;
  readonly file: string;
}

function print({ name, key, until, file }: Rotated, { json }: RotateFlags, io: CliIo): void {
  if (json === true) {
    io.stdout.write(jsonText({ name, key, previous_until: until ?? null, file }));
    return;
  }
  io.stdout.write(`new secret of api key "${name}"\n\n  ${key}\n\nThis is shown once. `);
  io.stdout.write(
    until === undefined
      ? 'The old secret is no longer valid.\n'
      : `The old secret works until ${until}; gateway keys list shows which one clients use.\n`,
  );
  io.stdout.write(`written to ${file} (hash only); a running gateway accepts it at once.\n`);
}

import { isDamagedKey } from '../../core/secrets/key.ts';
import { looksLikeJwt } from '../../core/secrets/jwt.ts';
import { sha256 } from '../../core/secrets/sha256.ts';
import { digestOf, type OpenConfig, stateOf, timeOf } from '../../manage/keys/shared.ts';
import { openConfig } from './shared.ts';
import { CommandError, exitCodes, type CommonFlags } from '../command.ts';
import { jsonText } from '../text.ts';
import type { CliIo } from '../io.ts';

/** The result of verifying a key. */
interface KeyVerdict {
  readonly valid: boolean;
  readonly state: 'active' | 'replaced' | 'expired' | 'revoked' | 'unknown' | 'damaged' | 'token';
  readonly name: string | null;
  /** `previous`: an older secret, during or after its overlap. */
  readonly secret: 'current' | 'previous' | null;
  /** When it stops, or stopped, working. */
  readonly ends: string | null;
  readonly text: string;
}

/** `gateway keys verify`: identifies the key on standard input and reports whether it works. Returns the exit code. */
export async function verifyKey(extra: readonly string[], flags: CommonFlags, io: CliIo): Promise<number> {
  // The message does not repeat the argument, which may be the key.
  if (extra.length > 0)
    throw new CommandError(
      exitCodes.usage,
      'the key must be on standard input, not on the command line, where other users and the shell history could see it',
      'Run: gateway keys verify < file, or type the key and press Ctrl-D.',
    );
  const config = openConfig(flags, io);
  const key = (await io.readStdin()).trim();
  if (key === '') throw new CommandError(exitCodes.usage, 'standard input is empty');
  const verdict = verdictOf(key, config, Date.now());
  if (flags.json === true) io.stdout.write(jsonText({ ...verdict, text: undefined }));
  else io.stdout.write(`${verdict.text}\n`);
  return verdict.valid ? exitCodes.yes : exitCodes.no;
}

const noMatch = { valid: false, name: null, secret: null, ends: null } as const;

function verdictOf(key: string, config: OpenConfig, now: number): KeyVerdict {
  const match = matchOf(sha256(key), config);
  if (match !== undefined) return verdictOfMatch(match, now);
  if (isDamagedKey(key))
    return { ...noMatch, state: 'damaged', text: 'not a key: the checksum is wrong, so a part is missing or mistyped' };
  if (looksLikeJwt(key))
    return { ...noMatch, state: 'token', text: 'not a key: it is a token (JWT), which only a running gateway can verify' };
  return { ...noMatch, state: 'unknown', text: `unknown: this configuration has no such key` };
}

interface KeyMatch {
  readonly name: string;
  readonly entry: OpenConfig['keys'][number]['entry'];
  /** Set for an older secret. */
  readonly until: string | undefined;
}

function matchOf(digest: string, { keys }: OpenConfig): KeyMatch | undefined {
  for (const { name, entry } of keys) {
    if (digestOf(entry.hash) === digest) return { name, entry, until: undefined };
    const older = entry.previous?.find((one) => digestOf(one.hash) === digest);
    if (older !== undefined) return { name, entry, until: older.until };
  }
  return undefined;
}

function verdictOfMatch({ name, entry, until }: KeyMatch, now: number): KeyVerdict {
  const secret = until === undefined ? 'current' : 'previous';
  const state = stateOf(entry, now);
  const base = { name, secret, valid: false } as const;
  if (state === 'revoked') return { ...base, state, ends: entry.revoked ?? null, text: `"${name}": revoked on ${entry.revoked}` };
  if (state === 'expired') return { ...base, state, ends: entry.expires ?? null, text: `"${name}": expired on ${entry.expires}` };
  if (until !== undefined && (timeOf(until) ?? 0) <= now)
    return { ...base, state: 'replaced', ends: until, text: `"${name}": an older secret, which expired on ${until}` };
  const ends = firstOf([until, entry.expires, entry.revoked]) ?? null;
  const text = until !== undefined ? `an older secret, works until ${ends}` : ends === null ? 'valid' : `valid until ${ends}`;
  return { ...base, valid: true, state, ends, text: `"${name}": ${text}` };
}

/** Returns the earliest of the times: the key ends with it. */
function firstOf(times: readonly (string | undefined)[]): string | undefined {
  const known = times.filter((text) => timeOf(text) !== undefined);
  return known.toSorted((a, b) => (timeOf(a) ?? 0) - (timeOf(b) ?? 0))[0];
}

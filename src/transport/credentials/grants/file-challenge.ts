import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FileChallenge } from '../../../core/secrets/grant.ts';
import { readRegularFileAsync } from '../../../core/files/regular-file.ts';
import { TokenError } from '../token-source.ts';
import { codeIn } from './token-file.ts';
import { resolvedText, isSet } from './variables.ts';
import { errorCode } from '../../../core/text/error-code.ts';

/**
 * Reads the file named in a challenge `Basic realm=<file>`. Any process may listen on the local port, so only small files with the
 * expected suffix, directly in the agent's own folder after resolving links, are read.
 *
 * @throws TokenError
 */
export async function readChallengeFile(
  header: string | undefined,
  challenge: FileChallenge,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const named = /^Basic\s+realm="?([^"]+?)"?\s*$/i.exec(header ?? '')?.[1];
  if (named === undefined) throw new TokenError('the challenge of the local endpoint names no file');
  try {
    const path = await realpath(named);
    const folders = await Promise.all(foldersOf(challenge, env).map((folder) => realpath(folder).catch(() => undefined)));
    if (!path.endsWith(challenge.suffix) || !folders.includes(dirname(path))) throw new TokenError(outsideFolders);
    return await readSmall(path, challenge.maxBytes);
  } catch (cause) {
    if (cause instanceof TokenError) throw cause;
    throw new TokenError(`the file of the challenge cannot be read${codeIn(cause)}`, { cause });
  }
}

const outsideFolders = "the challenge names a file outside the agent's directory";

/** Returns the folders whose variables are set in the environment. */
function foldersOf({ folders }: FileChallenge, env: Readonly<Record<string, string | undefined>>): string[] {
  return folders
    .filter((parts) => parts.every((part) => typeof part === 'string' || isSet(part.env, env)))
    .map((parts) => join(...parts.map((part) => resolvedText(part, env))));
}

async function readSmall(path: string, maxBytes: number): Promise<string> {
  try {
    return (await readRegularFileAsync(path, maxBytes)).toString('utf8').trim();
  } catch (cause) {
    if (errorCode(cause) === 'EFBIG') throw new TokenError(`the file of the challenge is larger than ${maxBytes} bytes`, { cause });
    throw cause;
  }
}

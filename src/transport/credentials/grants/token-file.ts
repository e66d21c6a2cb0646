import { readRegularFileAsync } from '../../../core/files/regular-file.ts';
import { errorCode } from '../../../core/text/error-code.ts';
import { TokenError } from '../token-source.ts';

/** Maximum size of the file in bytes; a token has a few kilobytes. */
const maxBytes = 1024 * 1024;

/**
 * Reads a file with a token of another issuer.
 *
 * @param field name of the file in messages
 * @throws TokenError without the path, because callers may see it
 */
export async function readTokenFile(path: string, field: string): Promise<string> {
  let text: string;
  try {
    text = (await readRegularFileAsync(path, maxBytes)).toString('utf8').trim();
  } catch (cause) {
    throw new TokenError(`${field} names a file that cannot be read${codeIn(cause)}`, { field, cause });
  }
  if (text === '') throw new TokenError(`${field} names an empty file`, { field });
  return text;
}

/** The code of a system error, to be added to a sentence. */
export function codeIn(cause: unknown): string {
  const code = errorCode(cause);
  return code === '' ? '' : ` (${code})`;
}

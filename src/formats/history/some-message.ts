import type { JsonBody } from '../../core/json/body.ts';
import type { TokenReader } from '../../core/json/search/token-reader.ts';

/**
 * True if the check is true for a message of a chat. Reads the structure only: nothing is parsed. Also true if the messages
 * cannot be read, or two parsers could read a role differently: the code that parses them decides.
 *
 * @param check gets the role, '' if there is none, and a reader inside the message. It may stop at a list that it entered only
 * if it returns true.
 */
export function someMessage(body: JsonBody, check: (role: string, message: TokenReader) => boolean): boolean {
  try {
    const reader = body.listOf('messages');
    while (reader?.nextObject() === true) {
      const start = reader.place;
      const role = roleOf(reader);
      const end = reader.place;
      reader.returnTo(start);
      if (role === undefined || check(role, reader)) return true;
      reader.returnTo(end);
    }
    return false;
  } catch {
    return true;
  }
}

/** Undefined if there are several. */
function roleOf(message: TokenReader): string | undefined {
  let role: string | undefined;
  while (message.nextMember()) {
    if (!message.isKey('role')) continue;
    if (role !== undefined) return undefined;
    role = message.string;
  }
  return role ?? '';
}

/** Syntax of header names and values, for all that is parsed or written on sockets without `node:http`. */

/** Maximum size of a response head with its status line, or of a trailer, in bytes. `node:http` has the same limit, but counts only parts of a head. */
export const headLimit = 16 * 1024;

/** Matches a character that is not permitted in a token (RFC 9110 5.6.2). */
export const invalidNameCharacter = /[^!#$%&'*+\-.^_`|~0-9A-Za-z]/;

/** Matches any character except visible ones, blanks and obs-text: control characters, lone CR and lone LF. */
export const invalidValueCharacter = /[^\t\x20-\x7e\x80-\xff]/;

/** Returns a value without surrounding blanks (RFC 9112 5.1). */
export function trimBlanks(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** True if a tab is the last character before `to`, apart from spaces. Some parsers trim only the spaces behind a value. */
export function endsWithTab(text: string, to: number): boolean {
  let end = to;
  while (text.charCodeAt(end - 1) === 0x20) end -= 1;
  return text.charCodeAt(end - 1) === 0x09;
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

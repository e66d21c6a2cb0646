/** What names and values of headers consist of, for all that is read or written on sockets of our own. */

/** Bytes of names and values in one head or trailer, as `node:http` counts and limits them. */
export const headLimit = 16 * 1024;

/** Anything but a token (RFC 9110 5.6.2). */
export const notToken = /[^!#$%&'*+\-.^_`|~0-9A-Za-z]/;

/** Anything but visible characters, blanks and obs-text: control characters, lone CR and lone LF. */
export const notText = /[^\t\x20-\x7e\x80-\xff]/;

/** A value without the blanks around it (RFC 9112 5.1). */
export function trimmed(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

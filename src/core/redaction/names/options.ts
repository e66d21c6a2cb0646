import type { Cursors } from '../find/cursors.ts';
import type { Hits } from '../find/hits.ts';
import { mayBeMasked } from './member-names.ts';
import { endOfQuoted, endOfWord, isQuote, longestValue } from './pairs.ts';
import { isPasswordWord, isSecret, isSecretText } from './values.ts';

const dash = 0x2d;
const blank = 0x20;
const backslash = 0x5c;

/** Maximum characters of a long option, and from a program to its option. */
const longestName = 32;
const longestCommand = 160;
/** In JSON inside a text, each quote has a backslash. */
const longestEscapedCommand = 2 * longestCommand + longestName;

/** Long options, whatever the program is. */
const secretOption =
  /(?:api-?key|(?:access|secret|private)-key|(?<!(?:continuation|idempotency|next|page|request|starting)-)token|password|passwd|passphrase|passcode|pass|(?:api|app|client)-secret)$/i;
const passwordOption = /(?:password|passwd|passphrase|passcode|pass)$/i;
const userOption = /^(?:user|proxy-user)$/;

/** Programs by short option: the option's value is a password only there. */
const programs: Readonly<Record<string, RegExp>> = {
  p: /(?:\b|\\n|^n)(?:sshpass|mysql\w*|mariadb(?:-\w+)?|mongo(?:sh|dump|restore|import|export)?|(?:docker|podman|nerdctl|buildah|skopeo|oras|crane|az|helm registry) (?:\S{1,40} )?login)\b/,
  a: /(?:\b|\\n|^n)redis-cli\b/,
  w: /(?:\b|\\n|^n)ldap(?:search|add|modify|delete|passwd|whoami|compare)\b/,
  u: /(?:\b|\\n|^n)(?:curl|wget|xh|httpie)\b/,
  b: /(?:\b|\\n|^n)curl\b/,
};
/** Programs that ask for the password if a blank follows the option. */
const joinedOnly = /^n?(?:\\n)?(?:mysql|mariadb)/;

/** Finds the values of options of commands: `--password …`, `sshpass -p …`, `curl -u user:…`. */
export function findOptions(cursors: Cursors, from: number, to: number, hits: Hits): void {
  const { text } = cursors;
  for (let at = cursors.option(from); at < to; at = cursors.option(at + 1)) {
    const name = optionName(text, at);
    if (name === '') continue;
    const command = commandBefore(text, Math.max(from, at - longestCommand), at);
    const value = name.length > 1 ? longValue(text, at, to, name, command) : shortValue(text, at, to, name, command);
    if (value !== undefined) hits.add('secret', value.start, value.start + value.word.length);
  }
}

/** A fast check, true also for some other options. `text` may have the escapes of JSON. */
export function mayBeSecretOption(text: string, at: number): boolean {
  const name = optionName(text, at);
  if (name === '') return false;
  const program = name.length > 1 ? (userOption.test(name) ? programs['u'] : undefined) : programs[name];
  return program === undefined || program.test(text.slice(Math.max(0, at - longestEscapedCommand), at));
}

/** The name of the option whose dash is at an offset; empty if it cannot have a secret as its value. */
function optionName(text: string, at: number): string {
  if (at > 0 && !beginsOption(text, at)) return '';
  if (text.charCodeAt(at + 1) !== dash) return programs[text.charAt(at + 1)] === undefined ? '' : text.charAt(at + 1);
  let end = at + 2;
  while (end - at < longestName && isNamePart(text.charCodeAt(end))) end += 1;
  if (text.charCodeAt(end) !== blank) return '';
  const name = text.slice(at + 2, end);
  return (mayBeMasked(text, end) && secretOption.test(name)) || userOption.test(name) ? name : '';
}

/** White space, a quote, a bracket or the letter of an escape. */
function beginsOption(text: string, at: number): boolean {
  const c = text.charCodeAt(at - 1);
  return c <= blank || isQuote(c) || c === 0x28 || (c >= 0x6e && c <= 0x74 && text.charCodeAt(at - 2) === backslash);
}

const isNamePart = (c: number): boolean => (c >= 0x61 && c <= 0x7a) || (c >= 0x41 && c <= 0x5a) || c === dash || c === 0x5f;

/** What separates commands, also as an escape. */
const separators = ['\n', '|', ';', '&& ', '\\n'];

/** The text of the command up to its option, without earlier commands. */
function commandBefore(text: string, from: number, to: number): string {
  const before = text.slice(from, to);
  return before.slice(Math.max(...separators.map((sign) => before.lastIndexOf(sign) + 1)));
}

function longValue(text: string, at: number, to: number, name: string, command: string): Value | undefined {
  const value = valueAt(text, at + 2 + name.length, to);
  if (userOption.test(name)) return programs['u']?.test(command) === true ? passwordOf(value) : undefined;
  const isOne = isSecret(value.word, value.isQuoted) || (passwordOption.test(name) && isPasswordWord(value.word, 6));
  return isOne ? value : undefined;
}

function shortValue(text: string, at: number, to: number, name: string, command: string): Value | undefined {
  const program = programs[name]?.exec(command)?.[0];
  if (program === undefined) return undefined;
  const isJoined = text.charCodeAt(at + 2) !== blank;
  if (isJoined ? name !== 'p' && name !== 'u' : joinedOnly.test(program)) return undefined;
  const value = valueAt(text, at + 2, to);
  if (name === 'u') return passwordOf(value);
  const isOne = name === 'b' ? value.word.includes('=') && isSecret(value.word, value.isQuoted) : isGiven(value.word);
  return isOne ? value : undefined;
}

interface Value {
  readonly start: number;
  readonly word: string;
  readonly isQuoted: boolean;
}

function valueAt(text: string, from: number, to: number): Value {
  let start = from;
  while (start < from + 2 && text.charCodeAt(start) === blank) start += 1;
  const first = start;
  while (start < first + 16 && text.charCodeAt(start) === backslash) start += 1;
  const isQuoted = isQuote(text.charCodeAt(start));
  start = isQuoted ? start + 1 : first;
  const most = Math.min(to, start + longestValue);
  const end = isQuoted ? endOfQuoted(text, start, start, most) : endOfWord(text, start, to);
  return { start, word: text.slice(start, end), isQuoted };
}

/** The password of `user:password`. */
function passwordOf({ start, word, isQuoted }: Value): Value | undefined {
  const colon = word.indexOf(':');
  const password = word.slice(colon + 1);
  return colon < 0 || !isGiven(password) ? undefined : { start: start + colon + 1, word: password, isQuoted };
}

/** A password, and neither a placeholder, a variable nor an option. */
const isGiven = (word: string): boolean =>
  word.length >= 3 && isSecretText(word) && !/^[-/.~$<[({]|\$[{(]/.test(word) && !placeholderWord.test(word);

const placeholderWord = /^(?:your\S*|my\S*|the\S*|pass(?:word|wd)?|secret|token|x{3,}|\.{3}|\w*_password|\d{1,5})$/i;

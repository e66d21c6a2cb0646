import { GatewayError } from '../../../core/error.ts';
import { headOddity, nameOddity } from './oddities.ts';

/** Parsed head of a part. */
export interface PartHead {
  readonly name: string;
  readonly isFile: boolean;
  readonly filename: string | undefined;
  readonly contentType: string | undefined;
  /** An ambiguity that parsers read differently: completes the sentence `the form …`. */
  readonly oddity: string | undefined;
}

/**
 * Parses the head of a part (RFC 7578 4). Rejects ambiguous heads, so that no provider sees other fields than the
 * gateway did.
 *
 * @throws GatewayError `invalid_form`
 */
export function parseHead(text: string): PartHead {
  let disposition: string | undefined;
  let contentType: string | undefined;
  for (const line of unfold(text)) {
    const colon = line.indexOf(':');
    if (colon <= 0) throw invalidForm('The head of a part contains a line that is not a header.');
    const name = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === 'content-disposition') {
      if (disposition !== undefined) throw invalidForm('A part has two content-disposition headers.');
      disposition = value;
    } else if (name === 'content-type') contentType ??= value;
  }
  if (disposition === undefined) throw invalidForm('A part has no content-disposition header.');
  const parameters = parametersOf(disposition);
  const name = parameters.get('name');
  if (name === undefined) throw invalidForm('A part has no name.');
  const plain = parameters.get('filename');
  const extended = parameters.get('filename*');
  const filename = extended === undefined ? plain : (decodeExtended(extended) ?? plain);
  return {
    name,
    isFile: plain !== undefined || extended !== undefined,
    filename,
    contentType,
    oddity: headOddity(text) ?? nameOddity(name),
  };
}

/** Returns the boundary of a content type; undefined if it is not a form or has none. */
export function boundaryOf(contentType: string): string | undefined {
  if (!isMultipart(contentType)) return undefined;
  const boundary = parametersOf(contentType).get('boundary');
  return boundary === undefined || boundary === '' || boundary.length > boundaryLimit ? undefined : boundary;
}

export const isMultipart = (contentType: string): boolean => /^\s*multipart\/form-data\s*(?:;|$)/i.test(contentType);

/** RFC 2046 permits 70; some clients use longer ones. */
const boundaryLimit = 200;

/** Splits a head into lines. A line that starts with white space continues the one before. */
function unfold(text: string): string[] {
  const lines: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const last = lines.length - 1;
    if (/^[ \t]/.test(line) && last >= 0) lines[last] = `${lines[last]} ${line.trim()}`;
    else if (line !== '') lines.push(line);
  }
  return lines;
}

/** Parses the parameters after the first value. @throws GatewayError `invalid_form` for a repeated or unreadable parameter */
function parametersOf(value: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const rest = value.slice(mark(value), endOf(value));
  const parameter = /;[ \t]*([^\s=;"]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\[\s\S])*)"|([^\s;"]*))[ \t]*/y;
  for (let at = 0; at < rest.length; at = parameter.lastIndex) {
    parameter.lastIndex = at;
    const match = parameter.exec(rest);
    const name = match?.[1]?.toLowerCase();
    if (match === null || name === undefined) throw invalidForm('The parameters of a header of the form cannot be read.');
    if (found.has(name)) throw invalidForm(`A header of the form names "${name}" twice.`);
    found.set(name, match[2] === undefined ? (match[3] ?? '') : unquote(match[2]));
  }
  return found;
}

/** Start of trailing blanks and semicolons. Not a regular expression, whose time would be quadratic for hostile input. */
function endOf(value: string): number {
  let end = value.length;
  while (end > 0 && /[;\s]/.test(value[end - 1] ?? '')) end -= 1;
  return end;
}

function mark(value: string): number {
  const at = value.indexOf(';');
  return at < 0 ? value.length : at;
}

/** Browsers percent-encode quotes and line ends and leave backslashes; other clients escape quotes with a backslash. */
function unquote(text: string): string {
  return text.replace(/\\(["\\])/g, '$1').replace(/%22|%0d|%0a/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}

/** RFC 8187: charset, language and percent-encoded text. */
function decodeExtended(value: string): string | undefined {
  const [charset, , text] = value.split("'");
  if (charset?.toLowerCase() !== 'utf-8' || text === undefined) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Writes the head of an added part, including the empty line. */
export function writeHead(name: string, lineEnd: string): string {
  const escaped = name.replace(/["\r\n]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
  return `Content-Disposition: form-data; name="${escaped}"${lineEnd}${lineEnd}`;
}

/** Error for a form that cannot be parsed. */
export function invalidForm(message: string): GatewayError {
  return new GatewayError('invalid_form', { message, hint: 'Send standard multipart/form-data, as HTTP libraries and browsers write it.' });
}

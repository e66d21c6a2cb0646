/** What a data URI holds. */
export interface DataUri {
  /** Lower case, without parameters. */
  readonly mimeType: string;
  /** Standard alphabet with padding. */
  readonly base64: string;
}

/**
 * Reads `data:<type>[;params][;base64],<data>`: the flag may be anywhere among the parameters in
 * any case, white space and the URL-safe alphabet are accepted, a missing type is text/plain. Undefined where the text is
 * no data URI.
 */
export function parseDataUri(text: string): DataUri | undefined {
  if (!/^data:/i.test(text)) return undefined;
  const comma = text.indexOf(',');
  if (comma < 0) return undefined;
  const [type = '', ...params] = text.slice(5, comma).split(';');
  const data = text.slice(comma + 1);
  const encoded = params.some((param) => param.trim().toLowerCase() === 'base64');
  return {
    mimeType: type.trim().toLowerCase() || 'text/plain',
    base64: encoded ? standardBase64(unescaped(data)) : Buffer.from(unescaped(data), 'utf8').toString('base64'),
  };
}

/** Base64 in the standard alphabet, without blanks and with padding. Well-formed text is handed back as it is. */
export function standardBase64(text: string): string {
  if (text.length % 4 === 0 && !/[^A-Za-z0-9+/=]/.test(text)) return text;
  const bare = text
    .replaceAll(/[\s=]+/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/');
  return bare.padEnd(Math.ceil(bare.length / 4) * 4, '=');
}

/** True for long text that can only be base64: what some old clients send in place of a URL. */
export const looksLikeBase64 = (text: string): boolean => text.length >= 64 && /^[A-Za-z0-9+/_-]+={0,2}\s*$/.test(text);

/** Media type of bare base64 by its first bytes; undefined where they say nothing. */
export const typeByBytes = (base64: string): string | undefined => magic.find(([start]) => base64.startsWith(start))?.[1];

/** The same; JPEG where they say nothing, as those clients meant. */
export const sniffBase64 = (text: string): string => typeByBytes(text) ?? 'image/jpeg';

const magic = [
  ['iVBORw0KGgo', 'image/png'],
  ['R0lGOD', 'image/gif'],
  ['/9j/', 'image/jpeg'],
  ['UklGR', 'image/webp'],
  ['JVBERi', 'application/pdf'],
] as const;

function unescaped(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The content of a data URI. */
export interface DataUri {
  /** In lower case, without parameters. */
  readonly mimeType: string;
  /** Standard alphabet with padding. */
  readonly base64: string;
}

/** Maximum length of the part before the data, in characters. Each of its parameters is a text of its own in memory. */
const maxHeadLength = 4096;

/**
 * Parses `data:<type>[;params][;base64],<data>`. The flag may be anywhere among the parameters in any letter case, white space
 * and the URL-safe alphabet are accepted, and a missing type is text/plain. Returns undefined if the text is not a data URI.
 */
export function parseDataUri(text: string): DataUri | undefined {
  if (!/^data:/i.test(text)) return undefined;
  const comma = text.indexOf(',');
  if (comma < 0 || comma > maxHeadLength) return undefined;
  const [type = '', ...params] = text.slice(5, comma).split(';');
  const data = text.slice(comma + 1);
  const encoded = params.some((param) => param.trim().toLowerCase() === 'base64');
  return {
    mimeType: type.trim().toLowerCase() || 'text/plain',
    base64: encoded ? standardBase64(decodeEscapes(data)) : Buffer.from(decodeEscapes(data), 'utf8').toString('base64'),
  };
}

/** Converts base64 to the standard alphabet, without white space and with padding. Well-formed text is returned unchanged. */
export function standardBase64(text: string): string {
  if (text.length % 4 === 0 && !/[^A-Za-z0-9+/=]/.test(text)) return text;
  const bare = text
    .replaceAll(/[\s=]+/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/');
  return bare.padEnd(Math.ceil(bare.length / 4) * 4, '=');
}

/** True for long text that can only be base64, which some old clients send in place of a URL. */
export const looksLikeBase64 = (text: string): boolean => text.length >= 64 && /^[A-Za-z0-9+/_-]+={0,2}\s*$/.test(text);

/** Media type of bare base64 by its first bytes; undefined if they are unknown. */
export const typeByBytes = (base64: string): string | undefined => base64Signatures.find(([start]) => base64.startsWith(start))?.[1];

/** Like `typeByBytes`, but JPEG if the first bytes are unknown, as these clients assume. */
export const typeByBytesOrJpeg = (text: string): string => typeByBytes(text) ?? 'image/jpeg';

/**
 * The media type that the first bytes show, where a file is declared as an image or as bytes; otherwise the declared type. Some
 * services reject an image whose declared type differs (https://github.com/home-assistant/core/issues/167208), others ignore it.
 */
export function shownType(declared: string, base64: string): string {
  const isBytes = declared === 'application/octet-stream';
  if (!isBytes && !declared.startsWith('image/')) return declared;
  const shown = typeByBytes(base64);
  return shown !== undefined && (isBytes || shown.startsWith('image/')) ? shown : declared;
}

const base64Signatures = [
  ['iVBORw0KGgo', 'image/png'],
  ['R0lGOD', 'image/gif'],
  ['/9j/', 'image/jpeg'],
  ['UklGR', 'image/webp'],
  ['JVBERi', 'application/pdf'],
] as const;

function decodeEscapes(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

import { typeByBytes } from './data-uri.ts';
import { typeOfPath } from './mime.ts';

/** Percent signs are allowed: URL escapes are decoded where the bytes are read. */
const notBase64 = /[^A-Za-z0-9+/=_%\s-]/;

/**
 * Converts `file_data` of a part to a data URI. Clients send a data URI, or bare base64, whose media type follows from its file
 * name or its first bytes, otherwise text/plain. Addresses are returned unchanged, and so is text that is not base64, because it
 * would be decoded to noise.
 *
 * @param declaredType media type given by the client
 */
export function fileDataUri(data: string, name: string | undefined, declaredType?: string): string {
  if (/^(?:data:|gs%|[a-z][a-z0-9+.-]*:\/\/)/i.test(data) || notBase64.test(data)) return data;
  const typeByName = name === undefined ? undefined : typeOfPath(name);
  return `data:${declaredType ?? typeByName ?? typeByBytes(data) ?? 'text/plain'};base64,${data}`;
}

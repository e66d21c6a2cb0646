import { typeByBytes } from './data-uri.ts';
import { typeOfPath } from './mime.ts';

/** Escapes of addresses are undone where the bytes are read. */
const notBase64 = /[^A-Za-z0-9+/=_%\s-]/;

/**
 * `file_data` of a part as a data URI. Clients send one, or the base64 alone, whose type its file name tells, or its first
 * bytes; what neither knows is text. Addresses stay as they are, and so does what is no base64: it would be read as noise.
 */
export function fileDataUri(data: string, name: string | undefined, said?: string): string {
  if (/^(?:data:|gs%|[a-z][a-z0-9+.-]*:\/\/)/i.test(data) || notBase64.test(data)) return data;
  const named = name === undefined ? undefined : typeOfPath(name);
  return `data:${said ?? named ?? typeByBytes(data) ?? 'text/plain'};base64,${data}`;
}

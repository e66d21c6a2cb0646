import { percentDecoded } from '../../../core/http/query.ts';
/**
 * Decodes the address of a stored file. `/v1/files` of Vertex AI returns percent-encoded `gs://bucket/object` addresses as file
 * ids. Clients use them wherever an address is allowed, and some encode them again. Every other text is returned unchanged.
 */
export function storedUri(text: string): string {
  if (!/^gs(?::\/\/|%)/i.test(text)) return text;
  let uri = text;
  for (let times = 0; times < 3 && !/^gs:/i.test(uri); times += 1) uri = percentDecoded(uri);
  // URI schemes are case-insensitive, but the service requires lower case.
  return /^gs:\/\//i.test(uri) ? `gs${uri.slice(2)}` : text;
}

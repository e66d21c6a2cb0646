import { percentDecoded } from '../../../core/http/query.ts';
/**
 * A file as an address. `/v1/files` of Vertex AI gives files percent-encoded `gs://bucket/object` addresses as ids, which
 * clients write wherever an address may be and which some encode once more; every other text stays as it is.
 */
export function storedUri(text: string): string {
  if (!/^gs(?::\/\/|%)/i.test(text)) return text;
  let uri = text;
  for (let times = 0; times < 3 && !/^gs:/i.test(uri); times += 1) uri = percentDecoded(uri);
  // Schemes have no case; the service wants it in lower case.
  return /^gs:\/\//i.test(uri) ? `gs${uri.slice(2)}` : text;
}

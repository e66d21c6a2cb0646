/**
 * Spellings of forms that parsers in use read differently: one finds another name, another value or another part than the
 * next. Each text is the rest of a sentence that begins with `the form`.
 */

/** RFC 2046 5.1.1: what a boundary may consist of. */
const plainBoundary = /^[\w'()+,./:=?-]{1,70}$/;

export function boundaryOddity(boundary: string): string | undefined {
  return plainBoundary.test(boundary) ? undefined : 'has a boundary that not every parser accepts';
}

/** Charsets in which ASCII text is itself. Java's libraries name the last one for every field. */
const charset = String.raw`; ?charset="?(?:utf-8|us-ascii|iso-8859-1)"?`;
const formType = new RegExp(String.raw`^multipart/form-data(?:${charset})?; ?boundary=(?:"[^"\\]*"|[^\s";]*)(?:${charset})?$`, 'i');

/** The content type of the form itself: its boundary, and nothing that changes how fields are decoded. */
export function contentTypeOddity(contentType: string): string | undefined {
  return formType.test(contentType) ? undefined : 'has an ambiguous content-type';
}

/** Quotes may be missing around a plain word: some libraries leave them out, and every parser reads the same. */
const disposition =
  /^content-disposition: ?form-data; ?name=(?:"[^"\\]*"|[\w.-]+)(?:; ?filename=(?:"[^"\\]*"|[\w.-]+))?(?:; ?filename\*=utf-8'[\w-]*'[^\s;"']*)?$/i;
const type = new RegExp(
  String.raw`^content-type: ?(?!multipart/|message/)[\w.+-]+/[\w.+-]+(?:${charset}|; ?(?!charset)[\w-]+="?[\w./+-]*"?)*$`,
  'i',
);
const encoding = /^content-transfer-encoding: ?(?:7bit|8bit|binary)$/i;
const other = /^content-(?:length: ?\d+|id: ?<?[\w.@+-]+>?|md5: ?[\w+/=]+)$/i;

/** The head of one part. @param text its lines, without the empty one behind them */
export function headOddity(text: string): string | undefined {
  const lines = text.replace(/\r\n$/, '').split('\r\n');
  let types = 0;
  for (const line of lines) {
    if (/[\r\n\0]/.test(line)) return 'has a part whose head has unusual line endings';
    if (/^[ \t]/.test(line)) return 'has a part whose head is folded';
    if (type.test(line)) types += 1;
    else if (!disposition.test(line) && !encoding.test(line) && !other.test(line)) return 'has a part whose head is ambiguous';
  }
  return types > 1 ? 'has a part with two content types' : undefined;
}

/** The name of a part. `_charset_` says in which charset the others are (RFC 7578 4.6). */
export function nameOddity(name: string): string | undefined {
  if (name === '_charset_') return 'names the charset of its fields';
  return /^[\w.\- [\]]+$/.test(name) && name.trim() === name ? undefined : 'has a field with an ambiguous name';
}

/**
 * Form syntax that common parsers read differently: they find different names, values or parts. Each text completes the
 * sentence `the form …`.
 */

/** Characters permitted in a boundary (RFC 2046 5.1.1). */
const plainBoundary = /^[\w'()+,./:=?-]{1,70}$/;

export function boundaryOddity(boundary: string): string | undefined {
  return plainBoundary.test(boundary) ? undefined : 'has a boundary that not every parser accepts';
}

/** Charsets that encode ASCII text as itself. Java libraries declare the last one for every field. */
const charset = String.raw`; ?charset="?(?:utf-8|us-ascii|iso-8859-1)"?`;
const formType = new RegExp(String.raw`^multipart/form-data(?:${charset})?; ?boundary=(?:"[^"\\]*"|[^\s";]*)(?:${charset})?$`, 'i');

/** Checks the content type of the form: only a boundary, and nothing that changes how fields are decoded. */
export function contentTypeOddity(contentType: string): string | undefined {
  return formType.test(contentType) ? undefined : 'has an ambiguous content-type';
}

/** Quotes around a plain word are optional: some libraries omit them, and all parsers agree on the result. */
const disposition =
  /^content-disposition: ?form-data; ?name=(?:"[^"\\]*"|[\w.-]+)(?:; ?filename=(?:"[^"\\]*"|[\w.-]+))?(?:; ?filename\*=utf-8'[\w-]*'[^\s;"']*)?$/i;
const type = new RegExp(
  String.raw`^content-type: ?(?!multipart/|message/)[\w.+-]+/[\w.+-]+(?:${charset}|; ?(?!charset)[\w-]+="?[\w./+-]*"?)*$`,
  'i',
);
const encoding = /^content-transfer-encoding: ?(?:7bit|8bit|binary)$/i;
const other = /^content-(?:length: ?\d+|id: ?<?[\w.@+-]+>?|md5: ?[\w+/=]+)$/i;

/** Checks the head of one part. @param text its lines, without the empty one at the end */
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

/** Checks the name of a part. `_charset_` declares the charset of the other fields (RFC 7578 4.6). */
export function nameOddity(name: string): string | undefined {
  if (name === '_charset_') return 'names the charset of its fields';
  return /^[\w.\- [\]]+$/.test(name) && name.trim() === name ? undefined : 'has a field with an ambiguous name';
}

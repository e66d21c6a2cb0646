const isPlain = /^[\w.~-]*$/;

/**
 * Returns a secret in each spelling in which JSON, addresses and HTML may contain it: as written, with the escapes of
 * common libraries, and percent-encoded.
 */
export function variantsOf(secret: string): ReadonlySet<string> {
  const all = new Set([secret]);
  if (isPlain.test(secret)) return all;
  const inJson = escaped(secret);
  all.add(inJson).add(inJson.replaceAll('/', String.raw`\/`));
  // JSON within a JSON string, such as tool arguments.
  all.add(escaped(inJson));
  const inUrl = encodeURIComponent(secret.toWellFormed());
  // A query and a path: Python leaves slashes in both, JavaScript all separators in a whole address.
  for (const encoded of [inUrl, inUrl.replaceAll('%2F', '/'), encodeURI(secret.toWellFormed())])
    all.add(encoded).add(encoded.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()));
  for (const [double, single] of quotesInHtml) all.add(inHtml(secret, double, single));
  for (const writer of jsonWriters) {
    const text = writtenBy(secret, writer);
    all.add(text).add(text.replaceAll('/', String.raw`\/`));
  }
  return all;
}

/** Double and single quotes as Python, PHP and Go write them. */
const quotesInHtml = [
  ['&quot;', '&#x27;'],
  ['&quot;', '&#039;'],
  ['&#34;', '&#39;'],
] as const;

const inHtml = (text: string, double: string, single: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', double).replaceAll("'", single);

/** Shorter base64 may occur in any text by chance. In characters. */
const leastBase64 = 8;

/**
 * The base64 of a secret wherever it stands in the encoded bytes, as in `user:secret`: the characters that depend on it
 * alone, for each of the three places at which it may begin.
 */
export function base64Of(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  return [0, 1, 2].flatMap((before) => {
    const bits = (before + bytes.length) * 8;
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6));
    if (text.length < leastBase64) return [];
    return /[+/]/.test(text) ? [text, text.replaceAll('+', '-').replaceAll('/', '_')] : [text];
  });
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

interface JsonWriter {
  readonly escapes: RegExp;
  readonly isUpper: boolean;
}

/** Libraries that escape more characters as `\u…` than necessary: those special in HTML, or all beyond ASCII. */
const jsonWriters: readonly JsonWriter[] = [
  { escapes: /["&'+<>`\u007f-\uffff]/, isUpper: true }, // .NET
  { escapes: /[&<>\u2028\u2029]/, isUpper: false }, // Go
  { escapes: /[&'<=>\u2028\u2029]/, isUpper: false }, // Gson
  { escapes: /[\u007f-\uffff]/, isUpper: false }, // Python, PHP
];

function writtenBy(secret: string, { escapes, isUpper }: JsonWriter): string {
  let out = '';
  for (let i = 0; i < secret.length; i += 1) {
    const char = secret.charAt(i);
    const code = char.charCodeAt(0).toString(16).padStart(4, '0');
    if (escapes.test(char)) out += String.raw`\u` + (isUpper ? code.toUpperCase() : code);
    else out += isHalf(char) ? char : escaped(char);
  }
  return out;
}

/** A surrogate code unit, which `JSON.stringify` would escape when it is alone. */
const isHalf = (char: string): boolean => /[\ud800-\udfff]/.test(char);

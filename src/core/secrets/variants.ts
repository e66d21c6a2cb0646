const isPlain = /^[\w.~-]*$/;

/**
 * Returns a secret in each spelling in which JSON and addresses may contain it: as written, with the escapes of common
 * JSON libraries, and percent-encoded.
 */
export function variantsOf(secret: string): ReadonlySet<string> {
  const all = new Set([secret]);
  if (isPlain.test(secret)) return all;
  const inJson = escaped(secret);
  const inUrl = encodeURIComponent(secret.toWellFormed());
  all.add(inJson).add(inJson.replaceAll('/', String.raw`\/`)).add(inUrl);
  // JSON within a JSON string, such as tool arguments.
  all.add(escaped(inJson));
  all.add(inUrl.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()));
  for (const writer of jsonWriters) {
    const text = writtenBy(secret, writer);
    all.add(text).add(text.replaceAll('/', String.raw`\/`));
  }
  return all;
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

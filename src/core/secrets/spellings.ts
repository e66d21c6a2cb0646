const isPlain = /^[\w.~-]*$/;

/** A secret in each form in which JSON and addresses repeat it: as written, with the escapes of the usual libraries, and percent-encoded. */
export function spellingsOf(secret: string): ReadonlySet<string> {
  const all = new Set([secret]);
  if (isPlain.test(secret)) return all;
  const inJson = escaped(secret);
  const inUrl = encodeURIComponent(secret.toWellFormed());
  all.add(inJson).add(inJson.replaceAll('/', String.raw`\/`)).add(inUrl);
  // JSON in a text of JSON: the arguments of a tool.
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

/** Libraries that write more characters as `\u…` than they have to: for web pages, or for all of ASCII. */
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

/** Of a character beyond the first 65,536: alone it would be written as an escape. */
const isHalf = (char: string): boolean => /[\ud800-\udfff]/.test(char);

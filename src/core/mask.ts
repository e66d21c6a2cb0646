import { credentialHeaders } from './headers.ts';

/** What stands where a secret stood, in text for people. */
export const masked = '•••';

/** Hides known secrets, and what looks like an issued key, wherever text leaves the process. */
export interface Mask {
  text(text: string): string;
  /** The same buffer when nothing matched, else a copy of the same length with asterisks. */
  bytes(bytes: Buffer): Buffer;
  /** Overwrites in place with asterisks: lengths stay, JSON stays JSON. True when something matched. */
  inPlace(bytes: Buffer): boolean;
}

/** Shorter ones would hide half of any text. */
const shortest = 6;
const asterisk = 0x2a;

/**
 * Prefixes that issuers document for their keys, and how many key characters must follow before we believe it.
 * `gw_` is our own.
 */
const issued: readonly { readonly prefix: string; readonly least: number }[] = [
  { prefix: 'sk-', least: 20 },
  { prefix: 'gw_', least: 16 },
  { prefix: 'AIza', least: 30 },
  { prefix: 'AKIA', least: 16 },
  { prefix: 'xoxb-', least: 16 },
  { prefix: 'xoxp-', least: 16 },
];

const issuedPattern = new RegExp(
  `(?<![A-Za-z0-9_-])(${issued.map(({ prefix, least }) => `${prefix}(?=[A-Za-z0-9_-]{${least}})`).join('|')})[A-Za-z0-9_-]+`,
  'g',
);

/**
 * Matches every secret exactly, also as it stands inside JSON text and inside a URL; longest first, so that a secret
 * that contains another is hidden whole. Secrets shorter than 6 characters are left alone.
 */
export function createMask(secrets: readonly string[]): Mask {
  const needles = spellings(secrets);
  const raw = needles.map((needle) => Buffer.from(needle, 'utf8'));
  const inPlace = (bytes: Buffer): boolean => overwrite(bytes, bytes, raw) !== undefined;
  return {
    text(text) {
      let out = text;
      for (const needle of needles) if (out.includes(needle)) out = out.replaceAll(needle, masked);
      return out.replace(issuedPattern, `$1${masked}`);
    },
    bytes: (bytes) => overwrite(bytes, undefined, raw) ?? bytes,
    inPlace,
  };
}

/** Names of headers whose whole value is a credential, whatever prefix they came under. */
const credentialName =
  /(?:^|-)(?:api-key|authorization|cookie|password|secret|signature|token|access-key|access-key-id|service-account(?:-json)?)$/;

/** Members of JSON in a header (`x-gateway-config`, `x-gateway-metadata`) whose values are credentials. */
const credentialMember = /("[^"]*(?:api_?key|secret|token|password|private_?key|authorization)"\s*:\s*")(?:[^"\\]|\\.)+(?=")/gi;

/** True for headers that hold a credential. `name` in lower case. */
export function isCredentialHeader(name: string): boolean {
  return credentialHeaders.has(name) || credentialName.test(name);
}

/** Headers as a record keeps them: credential headers as `•••`, and what is secret inside the others hidden. */
export function maskHeaders(headers: Readonly<Record<string, string>>, mask?: Mask): Record<string, string> {
  const out: Record<string, string> = {};
  for (const name of Object.keys(headers)) out[name] = maskHeader(name.toLowerCase(), headers[name] ?? '', mask);
  return out;
}

function maskHeader(name: string, value: string, mask: Mask | undefined): string {
  if (isCredentialHeader(name)) return masked;
  const inner = value.includes('{') ? value.replace(credentialMember, `$1${masked}`) : value;
  return mask === undefined ? inner : mask.text(inner);
}

/** Each secret as written, JSON-escaped and URL-escaped; a secret that is a JSON document brings its own secrets along. */
function spellings(secrets: readonly string[]): string[] {
  const all = new Set<string>();
  for (const secret of secrets.flatMap(withInner)) {
    if (secret.length < shortest) continue;
    all.add(secret);
    all.add(JSON.stringify(secret).slice(1, -1));
    all.add(encodeURIComponent(secret.toWellFormed()));
  }
  return [...all].toSorted((a, b) => b.length - a.length);
}

/** A service account file is one secret in the configuration, and its private key another one on the wire. */
function withInner(secret: string): string[] {
  if (!secret.trimStart().startsWith('{')) return [secret];
  try {
    const members = Object.entries(JSON.parse(secret) as Record<string, unknown>);
    const inner = members.filter(([name, value]) => typeof value === 'string' && /key|secret|token|password/i.test(name));
    return [secret, ...inner.map(([, value]) => value as string)];
  } catch {
    return [secret];
  }
}

/** Returns the buffer that was written: `into`, or a copy made at the first match; undefined when nothing matched. */
function overwrite(bytes: Buffer, into: Buffer | undefined, needles: readonly Buffer[]): Buffer | undefined {
  let out: Buffer | undefined;
  const hide = (from: number, to: number): void => {
    out ??= into ?? Buffer.from(bytes);
    out.fill(asterisk, from, to);
  };
  for (const needle of needles) {
    for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + needle.length)) hide(at, at + needle.length);
  }
  for (const { prefix, least } of issued) {
    for (let at = bytes.indexOf(prefix, 0, 'latin1'); at >= 0; at = bytes.indexOf(prefix, at + prefix.length, 'latin1')) {
      const from = at + prefix.length;
      const to = endOfKey(bytes, from);
      if (to - from >= least && (at === 0 || !isKeyByte(bytes[at - 1] ?? 0))) hide(from, to);
    }
  }
  return out;
}

function endOfKey(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && isKeyByte(bytes[at] ?? 0)) at += 1;
  return at;
}

/** A–Z, a–z, 0–9, `_`, `-`. */
function isKeyByte(c: number): boolean {
  return (c >= 0x61 && c <= 0x7a) || (c >= 0x41 && c <= 0x5a) || (c >= 0x30 && c <= 0x39) || c === 0x5f || c === 0x2d;
}

import { isCredentialHeader, isNearSecretName, maskAddresses, masked } from './credential-names.ts';
import { parseJson } from '../json/scan.ts';
import { isPlain } from '../json/merge.ts';

/** Levels of a JSON value in a header that are looked into; what lies deeper is hidden. */
const mostLevels = 16;

/** What one header may show: no credential, also where its value is JSON, an address or a token under another name. */
export function maskHeader(name: string, value: string): string {
  const known = headerOf(name);
  if (known.isCredential) return masked;
  if (known.value === value) return known.shown;
  const shown = shownOf(value);
  if (value.length <= longestKept) {
    known.value = value;
    known.shown = shown;
  }
  return shown;
}

/** What is known of a header by its name, and its last value: clients and providers send the same few. */
interface SeenHeader {
  readonly isCredential: boolean;
  value: string;
  shown: string;
}

const seen = new Map<string, SeenHeader>();
const mostSeen = 1000;
/** Characters of a value that is kept. */
const longestKept = 256;

function headerOf(name: string): SeenHeader {
  const known = seen.get(name);
  if (known !== undefined) return known;
  const header = { isCredential: isCredentialHeader(name), value: '', shown: '' };
  if (seen.size < mostSeen && name.length < 100) seen.set(name, header);
  return header;
}

function shownOf(value: string): string {
  switch (value.charCodeAt(0)) {
    case 0x7b: // {
    case 0x5b: // [
      return maskJson(value);
    case 0x65: // e: so does a JSON object or a token begin in base64
      return /^e[wyz0-3][\w+/=.-]{8,}$/.test(value) ? masked : maskAddresses(value);
    case 0x42: // B
    case 0x62:
      return /^(?:bearer|basic) /i.test(value) ? masked : maskAddresses(value);
    default:
      return maskAddresses(value);
  }
}

/** JSON as a parser reads it, so that no escape hides the name of a member. What cannot be parsed is not shown. */
function maskJson(text: string): string {
  try {
    return JSON.stringify(maskValue(parseJson(text), 1));
  } catch {
    return masked;
  }
}

function maskValue(value: unknown, level: number): unknown {
  if (typeof value === 'string') return maskAddresses(value);
  if (typeof value !== 'object' || value === null) return value;
  if (level > mostLevels) return masked;
  if (Array.isArray(value)) return value.map((item) => maskValue(item, level + 1));
  if (!isPlain(value)) return masked;
  const members = Object.entries(value).map(([name, member]) => [name, isSecret(name) ? masked : maskValue(member, level + 1)]);
  return Object.fromEntries(members);
}

/** A member of an object of ours: a count of tokens is none. */
export const isSecretMember = (name: string, value: unknown): boolean =>
  typeof value !== 'number' && typeof value !== 'boolean' && value !== null && isSecret(name);

const isSecret = (name: string): boolean => isNearSecretName(name) || isCredentialHeader(name.toLowerCase());

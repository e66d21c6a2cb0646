import { isCredentialHeader, isKeySubprotocol, isNearSecretName, maskAddresses, masked } from './credential-names.ts';
import { parseJson } from '../json/scan.ts';
import { isJsonObject } from '../json/merge.ts';

/** Maximum depth of a JSON value in a header; deeper values are masked. */
const maxLevels = 16;

/** Returns the displayable value of a header, without credentials, even if its value is JSON, an address, or a token under another name. */
export function maskHeader(name: string, value: string): string {
  const known = cachedHeaderOf(name);
  if (known.isCredential) return masked;
  if (known.value === value) return known.shown;
  const shown = name === 'sec-websocket-protocol' ? maskProtocols(value) : maskHeaderValue(value);
  if (value.length <= maxCachedLength) {
    known.value = value;
    known.shown = shown;
  }
  return shown;
}

/** Cached facts about a header name, and its last value, because clients and providers send the same few. */
interface CachedHeader {
  readonly isCredential: boolean;
  value: string;
  shown: string;
}

const headerCache = new Map<string, CachedHeader>();
const maxCachedHeaders = 1000;
/** Maximum length of a cached value, in characters. */
const maxCachedLength = 256;

function cachedHeaderOf(name: string): CachedHeader {
  const known = headerCache.get(name);
  if (known !== undefined) return known;
  const header = { isCredential: isCredentialHeader(name), value: '', shown: '' };
  if (headerCache.size < maxCachedHeaders && name.length < 100) headerCache.set(name, header);
  return header;
}

function maskHeaderValue(value: string): string {
  switch (value.charCodeAt(0)) {
    case 0x7b: // {
    case 0x5b: // [
      return maskJson(value);
    case 0x65: // e: the first character of a JSON object or a token in base64
      return /^e[wyz0-3][\w+/=.-]{8,}$/.test(value) ? masked : maskAddresses(value);
    case 0x42: // B
    case 0x62:
      return /^(?:bearer|basic) /i.test(value) ? masked : maskAddresses(value);
    default:
      return maskAddresses(value);
  }
}

function maskProtocols(value: string): string {
  const offered = value.split(',').map((each) => each.trim());
  return offered.map((each) => (isKeySubprotocol(each) ? masked : maskHeaderValue(each))).join(', ');
}

/** Masks JSON after parsing it, so that no escape can hide the name of a member. Text that cannot be parsed is masked as a whole. */
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
  if (level > maxLevels) return masked;
  if (Array.isArray(value)) return value.map((item) => maskValue(item, level + 1));
  if (!isJsonObject(value)) return masked;
  const members = Object.entries(value).map(([name, member]) => [name, isSecret(name) ? masked : maskValue(member, level + 1)]);
  return Object.fromEntries(members);
}

/** True for a member with a secret, in an object of the gateway. Numbers such as token counts are not secret. */
export const isSecretMember = (name: string, value: unknown): boolean =>
  typeof value !== 'number' && typeof value !== 'boolean' && value !== null && isSecret(name);

const isSecret = (name: string): boolean => isNearSecretName(name) || isCredentialHeader(name.toLowerCase());

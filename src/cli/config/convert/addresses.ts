import type { Entry } from '../../../config/read/node.ts';
import type { Conversion } from './conversion.ts';

/** Value of the right form, to check an address that is a variable. */
export const sampleAddress = 'https://upstream.example/v1';

/**
 * An address for a provider: a reference as it is, otherwise without user name, password and query, which the gateway does not
 * accept and which may be secret. Undefined if it is none.
 */
export function addressIn(text: string, path: string, { keyAt }: Entry, { notes, variables }: Conversion): string | undefined {
  const trimmed = text.trim().replace(/\/+$/, '');
  if (trimmed.startsWith('os.environ/')) return variables.setting(trimmed, sampleAddress);
  if (!/^https?:\/\//i.test(trimmed) || !URL.canParse(trimmed)) {
    notes.unmapped(path, keyAt, 'it is not an address such as https://host.example/v1');
    return undefined;
  }
  const url = new URL(trimmed);
  if (url.username === '' && url.password === '' && url.search === '' && url.hash === '') return variables.setting(trimmed, sampleAddress);
  notes.unmapped(path, keyAt, 'user name, password and query of the address were left out: use api_key or auth for credentials');
  return variables.setting(`${url.origin}${url.pathname}`.replace(/\/+$/, ''), sampleAddress);
}

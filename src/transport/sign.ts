import { validateHeaderName, validateHeaderValue } from 'node:http';
import { GatewayError } from '../core/error.ts';
import type { HeaderPairs } from '../core/headers.ts';
import type { CredentialOwner, CredentialSpec, UpstreamRequest } from '../core/provider.ts';
import type { CredentialRef } from '../core/snapshot.ts';

/**
 * How one scheme signs. A fixed scheme gives its headers once; a scheme that fetches or counts (a token source, a
 * signature over the bytes) gives a function, which is synchronous whenever nothing has to be fetched.
 */
type Signer = { readonly fixed: HeaderPairs } | { readonly sign: (request: UpstreamRequest) => HeaderPairs | Promise<HeaderPairs> };

type Scheme = CredentialSpec['scheme'];
type Schemes = { readonly [S in Scheme]: (spec: Extract<CredentialSpec, { scheme: S }>) => Signer };

/** One row a scheme: a further one is a row here and a shape in `CredentialSpec`. */
const schemes: Schemes = {
  none: () => ({ fixed: [] }),
  // People paste keys with the word in front of them; it is never part of a key.
  bearer: ({ secret }) => ({ fixed: ['authorization', `Bearer ${secret.replace(/^bearer\s+/i, '')}`] }),
  header: ({ name, secret }) => ({ fixed: [name.toLowerCase(), secret] }),
  oauth2: () => {
    throw new GatewayError('invalid_config', { message: 'Tokens are not fetched yet.' });
  },
};

/**
 * Compiles a credential into what signs requests. The headers of the fixed schemes are made once, checked and frozen.
 * @throws GatewayError `invalid_config` when the secret holds characters that no header may hold
 */
export function createCredential(spec: CredentialSpec, owner: CredentialOwner): CredentialRef {
  const signer = signerOf(spec);
  if ('sign' in signer) return { owner, headers: signer.sign };
  const { fixed } = signer;
  check(fixed);
  // Frozen in place: the same list signs every request, so nobody may add to it.
  Object.freeze(fixed);
  return { owner, headers: () => fixed };
}

function signerOf<S extends Scheme>(spec: Extract<CredentialSpec, { scheme: S }>): Signer {
  return (schemes[spec.scheme as S] as (spec: Extract<CredentialSpec, { scheme: S }>) => Signer)(spec);
}

function check(headers: HeaderPairs): void {
  for (let i = 0; i + 1 < headers.length; i += 2) {
    try {
      validateHeaderName(headers[i] ?? '');
      validateHeaderValue(headers[i] ?? '', headers[i + 1] ?? '');
    } catch {
      // Without the cause: its text may quote the secret.
      throw new GatewayError('invalid_config', {
        message: 'The credential holds a character that no header may hold.',
        hint: 'Look for a line break or a blank that was pasted with the key.',
      });
    }
  }
}

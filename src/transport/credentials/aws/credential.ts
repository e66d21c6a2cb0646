import type { CredentialOwner, CredentialSpec, UpstreamRequest } from '../../../core/provider.ts';
import type { HeaderPairs } from '../../../core/http/headers.ts';
import { parseJson } from '../../../core/json/scan.ts';
import type { AwsKeys } from '../../../core/secrets/grant.ts';
import { type SecretVariants, secretVariants } from '../../../core/secrets/redactor.ts';
import type { CredentialRef } from '../../../core/snapshot.ts';
import { checkHeaders, tokenFault } from '../faults.ts';
import type { TokenSources } from '../token-source.ts';
import { type SigningRequest, SigV4 } from './sigv4.ts';

type Spec = Extract<CredentialSpec, { scheme: 'aws-sigv4' }>;

/** Signs with keys from the configuration, or with keys fetched from the environment of the machine. */
export function awsCredential(owner: CredentialOwner, spec: Spec, tokens: TokenSources, now: () => number): CredentialRef {
  const { keys } = spec;
  const clock = new ServiceClock(now);
  if (!('kind' in keys)) {
    const signingKeys = new AwsSigningKeys(keys, spec);
    return {
      owner,
      headers: (request) => signingKeys.sign(request, clock.now()),
      secrets: () => signingKeys.secrets,
      evict: (_used, body) => clock.correct(body),
      isRefused: (status, body) => status === 403 && serviceTimeIn(body) !== undefined,
    };
  }
  const source = tokens.for(keys, owner === 'catalog' ? 'operator' : 'request');
  let last: { readonly text: string; readonly signingKeys: AwsSigningKeys } | undefined;
  const signingKeysOf = (text: string): AwsSigningKeys => {
    if (last?.text !== text) last = { text, signingKeys: new AwsSigningKeys(parseJson(text) as AwsKeys, spec) };
    return last.signingKeys;
  };
  return {
    owner,
    headers: (request) => {
      const text = source.get();
      if (typeof text === 'string') return signingKeysOf(text).sign(request, clock.now());
      return text.then(
        (fetched) => signingKeysOf(fetched).sign(request, clock.now()),
        (error: unknown) => {
          throw tokenFault(owner, error);
        },
      );
    },
    // The response to a request that was signed before a renewal may arrive after it.
    secrets: (used) => (last?.signingKeys.hasSigned(used) === true ? last.signingKeys.secrets : secretVariants(used)),
    evict: (used, body) => {
      // With a wrong time, the keys are not at fault.
      if (body !== undefined && serviceTimeIn(body) !== undefined) return clock.correct(body);
      return last === undefined || !last.signingKeys.hasSigned(used) || source.evict(last.text);
    },
    isRefused: (status, body) =>
      status === 403 &&
      (serviceTimeIn(body) !== undefined || /ExpiredToken|security token included in the request/.test(body.toString('latin1'))),
  };
}

/** A corrected time that differs by less, in milliseconds, would be rejected again. */
const minCorrectionMs = 1000;

/** The time of the service: it rejects signatures whose time differs by more than five minutes. */
class ServiceClock {
  readonly #now: () => number;
  /** In milliseconds; 0 as long as the clock of this machine is not known to be wrong. */
  #offset = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  now(): number {
    return this.#now() + this.#offset;
  }

  /** Sets the time that the response to a rejected signature reports. Returns true if it is another one. */
  correct(body: Buffer | undefined): boolean {
    const time = body === undefined ? undefined : serviceTimeIn(body);
    if (time === undefined || Math.abs(time - this.now()) < minCorrectionMs) return false;
    this.#offset = time - this.#now();
    return true;
  }
}

/**
 * The time of the service in its error about the time of a signature, in Unix milliseconds: `Signature expired:
 * 20150830T123600Z is now earlier than 20150830T123900Z (20150830T124400Z - 5 min.)`, or `Signature not yet current: …`.
 */
function serviceTimeIn(body: Buffer): number | undefined {
  const found = /Signature (?:expired|not yet current): [^()]{1,100}\((\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z [-+] \d+ min/.exec(
    body.toString('latin1'),
  );
  if (found === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Keys, and the values derived from them once. */
class AwsSigningKeys {
  /** Only the token can appear in a response: the secret key is never sent, and the access key id is not secret. */
  readonly secrets: SecretVariants | undefined;
  readonly #token: string | undefined;
  readonly #signer: SigV4;

  constructor(keys: AwsKeys, spec: Spec) {
    const { accessKeyId, sessionToken: token } = keys;
    checkHeaders(['authorization', accessKeyId, 'x-amz-security-token', token ?? '']);
    this.#token = token;
    this.#signer = new SigV4(keys, spec);
    this.secrets = token === undefined ? undefined : secretVariants(['x-amz-security-token', token]);
  }

  sign(request: UpstreamRequest, now: number): HeaderPairs {
    return this.#signer.sign(signable(request), now);
  }

  hasSigned(used: HeaderPairs): boolean {
    return this.#token !== undefined && used.includes(this.#token);
  }
}

/** Signs the body's type and the service's own headers as well, so that they cannot be changed on the way. */
function signable({ method, origin, path, headers, body }: UpstreamRequest): SigningRequest {
  const signed: HeaderPairs = [];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] ?? '';
    if (name === 'content-type' || name.startsWith('x-amz')) signed.push(name, headers[i + 1] ?? '');
  }
  return { method, host: origin.slice(origin.indexOf('://') + 3), path, headers: signed, body: body.kind === 'json' ? body.bytes() : '' };
}

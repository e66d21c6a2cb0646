/** Ends of names of members whose text is a secret, whatever it looks like; in lower case, with `_` between words. */
const secretEnd =
  /(?:secret|password|passwd|passphrase|authorization|api_?key|(?:access|account|auth|encryption|master|private|secret|signing|subscription)_?key|service_?account_?json|client_?assertion|(?:^|_)(?:pwd|cookie|(?:access|api|auth|authorization|bearer|bot|git(?:hub|lab)|hf|id|refresh|sas|security|session|slack)_?token))$/;

/** Names of members whose text is a secret where it looks like one, and a position or a count where it does not. */
const mayBeSecret = /^(?:key|token)$/i;

/** They repeat the text token by token, and as numbers: each token is too short to be recognised. */
const tokenLists: ReadonlySet<string> = new Set(['logprobs', 'logprobsresult', 'toplogprobs']);

/** One spelling of a name: `apiKey`, `api_key` and `API-KEY` are alike. */
const plainName = (name: string): string =>
  name
    .replaceAll(/[a-z0-9](?=[A-Z])/g, '$&_')
    .toLowerCase()
    .replaceAll('-', '_')
    .replace(/_+$/, '');

export const namesSecret = (name: string): boolean => secretEnd.test(plainName(name));
export const mayNameSecret = (name: string): boolean => (name.length === 3 || name.length === 5) && mayBeSecret.test(name);
export const namesTokenList = (name: string): boolean => tokenLists.has(plainName(name).replaceAll('_', ''));

/** True where a member may be masked by its name. @param first character of its value */
export const isMaskedMember = (name: string, first: number): boolean =>
  first === 0x22 ? namesSecret(name) || mayNameSecret(name) : namesTokenList(name);

const isDash = (c: number): boolean => c === 0x5f || c === 0x2d;

/**
 * False where a name that ends before an offset is none of these: a look at its last letters, which spares reading it.
 * Many of other names end like some of them: `description`, `response`.
 */
export function mayBeMasked(text: string, end: number): boolean {
  const last = text.charCodeAt(end - 1);
  const before = text.charCodeAt(end - 2);
  const fourth = text.charCodeAt(end - 4) | 0x20;
  switch (((before | 0x20) << 8) | (last | 0x20)) {
    case 0x6579: // key
    case 0x7764: // pwd, passwd
      return true;
    case 0x656e: // token
    case 0x6965: // cookie
      return fourth === 0x6f;
    case 0x6574: // secret
      return fourth === 0x63;
    case 0x6f6e: // authorization, assertion, json
      return fourth === 0x6a || (fourth === 0x74 && isOneOf(text.charCodeAt(end - 6) | 0x20));
    case 0x7264: // password
      return fourth === 0x77;
    case 0x7365: // passphrase
    case 0x6273: // logprobs
      return fourth === 0x72;
    case 0x6c74: // result
      return fourth === 0x73;
    default:
      return isDash(last) || isDash(before) || isDash(text.charCodeAt(end - 3));
  }
}

/** The z of authorization, the e of assertion. */
const isOneOf = (c: number): boolean => c === 0x7a || c === 0x65;

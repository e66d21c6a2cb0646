/** Ends of member names whose text is always a secret; in lower case, with `_` between words. */
const secretEnd =
  /(?:secret|password|passwd|passphrase|authorization|api_?key|(?:access|account|auth|encryption|master|private|secret|signing|subscription)_?key|service_?account_?json|secret_?(?:string|key_?base)|client_?assertion|(?:^|_)(?:pwd|cookie|(?:access|api|auth|authorization|bearer|bot|git(?:hub|lab)|hf|id|refresh|sas|security|session|slack)_?token))$/;

/** Names of members whose text is a secret only if it looks like one; otherwise it is a position or a count. */
const mayBeSecret = /^(?:key|token)$/i;

/** Lists that repeat the text token by token, also as numbers. Each token is too short to be recognized. */
const tokenLists: ReadonlySet<string> = new Set(['logprobs', 'logprobsresult', 'toplogprobs']);

/** Normalizes the spelling of a name: `apiKey`, `api_key`, `api.key` and `API-KEY` are equal. */
const normalizedName = (name: string): string =>
  name
    .replaceAll(/[a-z0-9](?=[A-Z])/g, '$&_')
    .toLowerCase()
    .replaceAll(/[-.]/g, '_')
    .replace(/_+$/, '');

export const namesSecret = (name: string): boolean => secretEnd.test(normalizedName(name));
export const mayNameSecret = (name: string): boolean => (name.length === 3 || name.length === 5) && mayBeSecret.test(name);
export const namesTokenList = (name: string): boolean => tokenLists.has(normalizedName(name).replaceAll('_', ''));

/** True if a member may be masked because of its name. @param first first character of its value */
export const isMaskedMember = (name: string, first: number): boolean =>
  mayNameSecret(name) ||
  ((first === 0x22 || first === 0x5b) && namesSecret(name)) ||
  ((first === 0x5b || first === 0x7b) && namesTokenList(name));

/** True for `value`, and for names such as `ParameterValue`. */
export const isValueName = (name: string): boolean => /value$/i.test(name);

const isDash = (c: number): boolean => c === 0x5f || c === 0x2d;

/**
 * A fast check of the last letters of the name that ends before `end`. False if it is none of the names above. True also
 * for some other names that end alike, such as `description` and `response`.
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
    case 0x7565: // value
      return fourth === 0x61;
    case 0x7264: // password
      return fourth === 0x77;
    case 0x7365: // passphrase, base
      return fourth === 0x72 || fourth === 0x62;
    case 0x6273: // logprobs
    case 0x6e67: // string
      return fourth === 0x72;
    case 0x7373: // pass
      return fourth === 0x70;
    case 0x6c74: // result
      return fourth === 0x73;
    default:
      // Of names with a dash near their end, only those of lists of tokens match: `logprob-s`.
      return isDash(last) || ((isDash(before) || isDash(text.charCodeAt(end - 3))) && isLastOfList(last | 0x20));
  }
}

/** The s of logprobs, the t of result. */
const isLastOfList = (c: number): boolean => c === 0x73 || c === 0x74;

/** The z of authorization, the e of assertion. */
const isOneOf = (c: number): boolean => c === 0x7a || c === 0x65;

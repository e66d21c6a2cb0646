import { isDigit } from '../find/classes.ts';

/** Ends of member names whose text is always a secret; in lower case, with `_` between words. */
const secretEnd =
  /(?:secret|password|passwd|passphrase|passcode|passwort|kennwort|senha|contrase(?:n|ñ|\u00c3\u00b1)a|mot_?de_?passe|authorization|api_?key|(?:access|account|app(?:lication)?|auth|encryption|master|private|secret|signing|subscription)_?key|service_?account_?json|docker_?config_?json|secret_?(?:string|key_?base)|client_?assertion|(?:^|_)(?:pwd|cookie|(?:access|api|auth|authorization|bearer|bot|git(?:hub|lab)|hf|id|refresh|sas|security|session|slack)_?token))$/;

/** Names of members whose text is a secret only if it looks like one; otherwise it is a position or a count. */
const mayBeSecret = /^(?:key|token)$/i;

/** Names of members whose text is a secret if it is base64 of a user name and a password, as Docker and npm store them. */
const mayBeLogin = /^_?auth$/i;

/** The value is a password, or the result of a test. */
const passEnd = /(?:^|_)pass$/;

/** The value is a secret if it consists of digits. A pin may also be that of a chip. */
const codeEnd = /(?:^|_)(?:(pin|otp|totp)|cvv2?|cvc2?)$/;
const pin = /^\d{4,8}$/;
const cardCode = /^\d{3,4}$/;

/** Ends of names of lists whose texts are secrets if they look like one. */
const secretListEnd = /(?:passwords|api_?keys|(?:access|private|secret)_?keys)$/;

/** Lists that repeat the text token by token, also as numbers. Each token is too short to be recognized. */
const tokenLists: ReadonlySet<string> = new Set(['logprobs', 'logprobsresult', 'toplogprobs']);

/** Normalizes the spelling of a name: `apiKey`, `api_key`, `api.key` and `API-KEY` are equal. */
export const normalizedName = (name: string): string =>
  name
    .replaceAll(/[a-z0-9](?=[A-Z])/g, '$&_')
    .toLowerCase()
    .replaceAll(/[-.]/g, '_')
    .replace(/_+$/, '');

export const namesSecret = (name: string): boolean => secretEnd.test(normalizedName(name));
/** Also true for variables of the environment such as `DB_PASS`. */
export const namesSecretVariable = (name: string): boolean => namesSecret(name) || name.endsWith('_PASS');
export const mayNameSecret = (name: string): boolean => (name.length === 3 || name.length === 5) && mayBeSecret.test(name);
export const mayNameLogin = (name: string): boolean => name.length <= 5 && mayBeLogin.test(name);
export const namesPass = (name: string): boolean => passEnd.test(normalizedName(name));
export const namesTokenList = (name: string): boolean => tokenLists.has(normalizedName(name).replaceAll('_', ''));

export function namesSecretList(name: string): boolean {
  const normalized = normalizedName(name);
  return secretEnd.test(normalized) || secretListEnd.test(normalized);
}

/** The form in which the value of such a name is a secret; undefined for other names. */
export function codeForm(name: string): RegExp | undefined {
  const code = codeEnd.exec(normalizedName(name));
  if (code === null) return undefined;
  return code[1] === undefined ? cardCode : pin;
}

/** True if the value of a member decides whether it is masked. */
export const dependsOnValue = (name: string): boolean => namesPass(name) || codeForm(name) !== undefined;

/** True if a member may be masked because of its name. @param first first character of its value */
export const isMaskedMember = (name: string, first: number): boolean =>
  mayNameSecret(name) ||
  mayNameLogin(name) ||
  ((first === 0x22 || isDigit(first)) && (namesSecret(name) || dependsOnValue(name))) ||
  (first === 0x5b && namesSecretList(name)) ||
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
  const third = text.charCodeAt(end - 3) | 0x20;
  const fourth = text.charCodeAt(end - 4) | 0x20;
  switch (((before | 0x20) << 8) | (last | 0x20)) {
    case 0x6579: // key
    case 0x7764: // pwd, passwd
    case 0x7676: // cvv
    case 0x7632: // cvv2
    case 0x6332: // cvc2
    case 0xb161: // contraseña, as UTF-8 bytes
    case 0xf161:
      return true;
    case 0x7663: // cvc
      return third === 0x63;
    case 0x696e: // pin
      return third === 0x70;
    case 0x7470: // otp
      return third === 0x6f;
    case 0x7973: // keys
      return third === 0x65;
    case 0x656e: // token
    case 0x6965: // cookie
      return fourth === 0x6f;
    case 0x6574: // secret
      return fourth === 0x63;
    case 0x6f6e: // authorization, assertion, json
      return fourth === 0x6a || (fourth === 0x74 && isOneOf(text.charCodeAt(end - 6) | 0x20));
    case 0x7565: // value
    case 0x7468: // auth
      return fourth === 0x61;
    case 0x7264: // password
      return fourth === 0x77;
    case 0x6473: // passwords
      return fourth === 0x6f;
    case 0x7365: // passphrase, base, mot de passe
      return fourth === 0x72 || fourth === 0x62 || fourth === 0x61;
    case 0x7274: // passwort, kennwort
      return fourth === 0x77;
    case 0x6861: // senha
    case 0x6e61: // contrasena
      return (text.charCodeAt(end - 5) | 0x20) === 0x73 || fourth === 0x73;
    case 0x6465: // passcode
      return fourth === 0x63 && (text.charCodeAt(end - 5) | 0x20) === 0x73;
    case 0x7265: // signature
      return fourth === 0x74 && (text.charCodeAt(end - 6) | 0x20) === 0x6e;
    case 0x6967: // sig
      return third === 0x73;
    case 0x6273: // logprobs
    case 0x6e67: // string
      return fourth === 0x72;
    case 0x7373: // pass
      return fourth === 0x70;
    case 0x6c74: // result
      return fourth === 0x73;
    default:
      return mayEndWithDash(text, end);
  }
}

/** Of names with a dash near their end, only those of lists of tokens match: `logprob-s`. */
function mayEndWithDash(text: string, end: number): boolean {
  const last = text.charCodeAt(end - 1);
  const isNear = isDash(text.charCodeAt(end - 2)) || isDash(text.charCodeAt(end - 3));
  return isDash(last) || (isNear && isLastOfList(last | 0x20));
}

/** The s of logprobs, the t of result. */
const isLastOfList = (c: number): boolean => c === 0x73 || c === 0x74;

/** The z of authorization, the e of assertion. */
const isOneOf = (c: number): boolean => c === 0x7a || c === 0x65;

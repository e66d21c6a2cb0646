/** Forms of values, which decide in texts whether a value is a secret or something else with the same name. */

/** Minimum characters of a value. */
const shortestValue = 8;

/** A placeholder of earlier masking, either by this module or of a header's credential. */
export const placeholderPattern = /^(?:\[[a-z_]+\]|\*{3,})?$/;

/** A variable of a shell, a template or a program. */
const variable = /^(?:[$%#]?\{|[$%@][\w({])/;

/** Secrets contain letters and digits. Other values, and those with brackets, a path or an address, are probably program code. */
export const isSecret = (value: string, isQuoted: boolean): boolean =>
  value.length >= shortestValue && hasLetterAndDigit(value) && !isPlace.test(value) && (isQuoted || !/[()[\]{}$]/.test(value));

const isPlace = /^(?:[/.~]|[A-Za-z][\w+.-]{0,15}:\/\/)/;

export const hasLetterAndDigit = (value: string): boolean => /\d/.test(value) && /[A-Za-z]/.test(value);

/** One word that does not consist of letters only, and is no variable. */
export const isWordWithSign = (value: string): boolean =>
  value.length >= 4 && !placeholderPattern.test(value) && !variable.test(value) && /^\S*[^\sA-Za-z]\S*$/.test(value);

/** One word, and neither a placeholder nor a variable. Texts of several words are prose. */
export const isSecretText = (value: string): boolean =>
  !/\s/.test(value) &&
  /[A-Za-z0-9]/.test(value) &&
  !placeholderPattern.test(value) &&
  !/^(?:[$%#]?\{.*\}|[$%@]\(?[\w.]+\)?%?)$/.test(value) &&
  !file.test(value);

/** A path of a file with an extension, as in `<privateKey>/etc/x.pem</privateKey>`. */
const file = /^(?:~|\.{1,2}|[A-Za-z]:|file:\/{0,2})?[\\/](?:[\w.@ -]{1,64}[\\/]){0,16}[\w.@-]{1,64}\.[a-z]\w{1,7}$/;

/** A word that is not the result of a test: `"pass": "hunter2"`. */
export const isPassword = (value: string): boolean => isSecretText(value) && !/^\d{1,5}$/.test(value) && !result.test(value);

const result =
  /^(?:all|any|bad|correct|done|error|fail(?:ed|ure)?|false|first|good|incorrect|last|maybe|n\/?a|never|next|no|none|null|off|ok|on|optional|partial|pass(?:ed|es|ing)?|pending|required|second|skip(?:ped)?|success|true|undefined|unknown|warn(?:ing)?|y|yes)$/i;

/** A number that is a secret if its name says so. A shorter one may be a count. */
export const isSecretNumber = (value: string): boolean => /^\d{4,64}$/.test(value);

/** Text whose characters are those of base64, at the end of which is padding. */
export const isPaddedBase64 = (value: string): boolean => value.length % 4 === 0 && /^[\w+/-]{6,1024}={1,2}$/.test(value);

/** Base64 of a user name and a password: `user:password`. */
export function isLogin(value: string): boolean {
  if (!/^[A-Za-z0-9+/]{6,512}={0,2}$/.test(value)) return false;
  return /^[\x21-\x39\x3b-\x7e][\x20-\x39\x3b-\x7e]*:[\x20-\x7e]+$/.test(Buffer.from(value, 'base64').toString('latin1'));
}

/** A word of a sentence or an option that is a password, and neither a method, a size nor the name of a variable. */
export const isPasswordWord = (value: string, least: number): boolean =>
  value.length >= least &&
  hasLetterAndDigit(value) &&
  !isPlace.test(value) &&
  !/[()[\]{}<>$|"'`\\]|^[:,]/.test(value) &&
  !method.test(value);

const method =
  /^(?:(?:(?:sha|md|base|argon|pbkdf|oauth|aes|rsa|hmac-?sha|utf|ipv|rfc|cve|http|x\.?)-?\d|bcrypt|scrypt)[\w.-]{0,24}|v\d+(?:\.\d+){0,3}|\d+[-+]?(?:char(?:acter)?|digit|letter|symbol|bit|byte|word|day|week|month|year|hour|minute|second|min|sec|time|[kmg]b|st|nd|rd|th|[dhmsxk])s?(?:-[\w-]{0,24})?)$/i;

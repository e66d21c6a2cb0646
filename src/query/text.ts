/**
 * Longest value, in characters, that a store's column holds and that is compared; the record itself is complete. Name
 * and value of a tag must fit into an index entry of Postgres, which has 2,704 bytes.
 */
const maxValueLength = 400;
/** Longest text of a row that is searched, and longest word in it, in characters. */
const maxTextLength = 2000;
const maxWordLength = 60;

/**
 * A text in a form that every store accepts: no NUL (Postgres rejects it, and SQLite's functions stop there), no
 * unpaired surrogate, limited length. Rows are compared in this form, so that a filter means the same in memory and in
 * each store.
 */
export function toStorable(text: string): string {
  const short = text.length > maxValueLength ? text.slice(0, maxValueLength) : text;
  const whole = short.toWellFormed();
  return whole.includes('\0') ? whole.replaceAll('\0', '\u{fffd}') : whole;
}

// Scripts written without blanks: each character counts as a word, so that any part of a sentence can be found.
const single = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Extended_Pictographic}`;
const word = new RegExp(`[${single}]|(?:(?![${single}])[\\p{L}\\p{N}\\p{M}])+`, 'gu');
// The same for ASCII texts, which are the majority. It is several times as fast.
const beyondAscii = /[\u0080-\uffff]/;
const asciiWord = /[a-z0-9]+/g;
const marks = /[\u0300-\u036f]/g;

/**
 * Words of a text: runs of letters and digits in lower case, without accents. In scripts without blanks, each character
 * is a word. Databases store these words instead of splitting texts themselves, since they disagree on what a word is.
 */
export function wordsIn(text: string): string[] {
  // Most previews are truncated. The truncation mark is not a word, and must not make an ASCII text take the slow path.
  const cut = text.slice(0, maxTextLength);
  const short = cut.endsWith('…') ? cut.slice(0, -1) : cut;
  if (!beyondAscii.test(short)) return (short.toLowerCase().match(asciiWord) ?? []).map((found) => found.slice(0, maxWordLength));
  const plain = short.toWellFormed().normalize('NFKD').replaceAll(marks, '').toLowerCase();
  return (plain.match(word) ?? []).map((found) => (found.length > maxWordLength ? found.slice(0, maxWordLength).toWellFormed() : found));
}

/** Separator of texts. It occurs in no text, and is a word for SQLite's tokenizer, so that no phrase spans two texts. */
const boundary = '\u{e000}';

/** Words of several texts in the form that stores hold: ` refund order 42 \u{e000}`. */
export function searchText(texts: readonly (string | null)[]): string {
  let out = '';
  for (const text of texts) {
    const words = text === null ? [] : wordsIn(text);
    if (words.length > 0) out += ` ${words.join(' ')} ${boundary}`;
  }
  return out;
}

/** A check for texts that contain every word of a search field, in any order and letter case; undefined if there are none. */
export function wordMatcher(words: string): ((text: string) => boolean) | undefined {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return undefined;
  return (text) => {
    const lower = text.toLowerCase();
    return wanted.every((one) => lower.includes(one));
  };
}

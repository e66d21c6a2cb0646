/**
 * Characters of a value that are kept in a store's column and compared; the record itself has all of them. The name and the
 * value of a tag fit into an index of Postgres, which has 2,704 bytes for both.
 */
const longestValue = 400;
/** Characters of a row's texts that are searched, and of one word of them. */
const longestText = 2000;
const longestWord = 60;

/**
 * A text as every store can keep it: no NUL (Postgres has none, SQLite's functions end there), no half of a surrogate
 * pair, bounded. Rows are compared in this form, so that a filter means the same in memory and in each store.
 */
export function storable(text: string): string {
  const short = text.length > longestValue ? text.slice(0, longestValue) : text;
  const whole = short.toWellFormed();
  return whole.includes('\0') ? whole.replaceAll('\0', '\u{fffd}') : whole;
}

// Scripts that are written without blanks: each character is a word, so that any part of a sentence is found.
const single = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Extended_Pictographic}`;
const word = new RegExp(`[${single}]|(?:(?![${single}])[\\p{L}\\p{N}\\p{M}])+`, 'gu');
// The same for texts of ASCII alone: most are, and this takes a fraction of the time.
const beyondAscii = /[\u0080-\uffff]/;
const asciiWord = /[a-z0-9]+/g;
const marks = /[\u0300-\u036f]/g;

/**
 * The words of a text: runs of letters and digits, lower case, without accents; a character each in scripts that have no
 * blanks. Databases store these words instead of making their own, since no two of them agree on what a word is.
 */
export function wordsIn(text: string): string[] {
  // Most previews are cut, and what says so is no word: alone it makes no other text of them.
  const cut = text.slice(0, longestText);
  const short = cut.endsWith('…') ? cut.slice(0, -1) : cut;
  if (!beyondAscii.test(short)) return (short.toLowerCase().match(asciiWord) ?? []).map((found) => found.slice(0, longestWord));
  const plain = short.toWellFormed().normalize('NFKD').replaceAll(marks, '').toLowerCase();
  return (plain.match(word) ?? []).map((found) => (found.length > longestWord ? found.slice(0, longestWord).toWellFormed() : found));
}

/** Separates texts: a word that no text has, and a word for SQLite's tokenizer, so that no phrase spans two texts. */
const boundary = '\u{e000}';

/** The words of several texts as a store keeps them: ` refund order 42 \u{e000}`. */
export function searchText(texts: readonly (string | null)[]): string {
  let out = '';
  for (const text of texts) {
    const words = text === null ? [] : wordsIn(text);
    if (words.length > 0) out += ` ${words.join(' ')} ${boundary}`;
  }
  return out;
}

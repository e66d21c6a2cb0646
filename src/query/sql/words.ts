import type { SeqWindow, Statement } from './statement.ts';

type Phrase = readonly string[];

/** Expression that Postgres indexes: the words of a row without positions. Positions are checked in `words` itself. */
export const postgresTokens = (words: string): string => `array_to_tsvector(array_remove(string_to_array(${words}, ' '), ''))`;

/**
 * Condition for rows that contain one of the phrases. Words are split and normalized before they are stored, so that the
 * word rules of a database do not matter.
 */
export function wordsCondition(phrases: readonly Phrase[], statement: Statement, window: SeqWindow): string {
  return statement.dialect === 'sqlite' ? sqliteWords(phrases, statement, window) : postgresWords(phrases, statement);
}

/** Searches FTS5, and the words of rows that are not indexed yet. */
function sqliteWords(phrases: readonly Phrase[], statement: Statement, { from, to }: SeqWindow): string {
  const match = phrases.map((phrase) => `("${phrase.join(' ')}" *)`).join(' OR ');
  const low = statement.integer(from);
  const high = statement.integer(to);
  const indexed = `SELECT rowid FROM texts WHERE texts MATCH ${statement.text(match)} AND rowid >= ${low} AND rowid < ${high}`;
  const found = phrases.map((phrase) => `instr(u.words, ${statement.text(phrasePattern(phrase))}) > 0`).join(' OR ');
  return `r.seq IN (${indexed} UNION ALL SELECT u.seq FROM unindexed u WHERE u.seq >= ${low} AND u.seq < ${high} AND (${found}))`;
}

/** Searches the index of words, and checks that the words are in sequence. */
function postgresWords(phrases: readonly Phrase[], statement: Statement): string {
  return phrases
    .map((phrase) => {
      const tokens = phrase.map((word, i) => `'${word}'${i === phrase.length - 1 ? ':*' : ''}`).join(' & ');
      // First, since it is cheap: if the index cannot be used, words need not be split for each row.
      const next = `strpos(r.words, ${statement.text(phrasePattern(phrase))}) > 0`;
      const indexed = `${postgresTokens('r.words')} @@ ${statement.cast(tokens, 'tsquery')}`;
      return `(${next} AND ${indexed})`;
    })
    .join(' OR ');
}

const phrasePattern = (phrase: Phrase): string => ` ${phrase.join(' ')}`;

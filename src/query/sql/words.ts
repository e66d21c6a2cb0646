import type { Window } from './condition.ts';
import type { Statement } from './statement.ts';

type Phrase = readonly string[];

/** What Postgres indexes: the words of a row without positions, for which `words` itself is looked at. */
export const postgresTokens = (words: string): string => `array_to_tsvector(array_remove(string_to_array(${words}, ' '), ''))`;

/**
 * Rows that have one of the phrases. Words are split and folded before they are stored, so that no database's own idea of a
 * word counts.
 */
export function wordsCondition(phrases: readonly Phrase[], statement: Statement, window: Window): string {
  return statement.dialect === 'sqlite' ? sqliteWords(phrases, statement, window) : postgresWords(phrases, statement);
}

/** In FTS5, and where rows are not indexed yet in their own words. */
function sqliteWords(phrases: readonly Phrase[], statement: Statement, { from, to }: Window): string {
  const match = phrases.map((phrase) => `("${phrase.join(' ')}" *)`).join(' OR ');
  const low = statement.integer(from);
  const high = statement.integer(to);
  const indexed = `SELECT rowid FROM texts WHERE texts MATCH ${statement.text(match)} AND rowid >= ${low} AND rowid < ${high}`;
  const found = phrases.map((phrase) => `instr(u.words, ${statement.text(needleOf(phrase))}) > 0`).join(' OR ');
  return `r.seq IN (${indexed} UNION ALL SELECT u.seq FROM unindexed u WHERE u.seq >= ${low} AND u.seq < ${high} AND (${found}))`;
}

/** By the index of words, then by the words next to each other. */
function postgresWords(phrases: readonly Phrase[], statement: Statement): string {
  return phrases
    .map((phrase) => {
      const tokens = phrase.map((word, i) => `'${word}'${i === phrase.length - 1 ? ':*' : ''}`).join(' & ');
      // First, since it costs little: where the index is of no use, words are not split for each row.
      const next = `strpos(r.words, ${statement.text(needleOf(phrase))}) > 0`;
      const indexed = `${postgresTokens('r.words')} @@ ${statement.as(tokens, 'tsquery')}`;
      return `(${next} AND ${indexed})`;
    })
    .join(' OR ');
}

const needleOf = (phrase: Phrase): string => ` ${phrase.join(' ')}`;

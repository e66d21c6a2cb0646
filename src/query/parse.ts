import { nearest } from '../core/text/nearest.ts';
import { type FieldRef, fieldNames, findField } from './fields.ts';
import { type Filter, type FilterProblem, maxFilterLength, type Term, FilterSyntaxError } from './filter.ts';
import { type RawTerm, scanTerms } from './scan.ts';
import { toStorable, wordsIn } from './text.ts';
import { readTest, readTime } from './values.ts';

export type Parsed = { readonly filter: Filter } | { readonly problem: FilterProblem };

/**
 * Parses a filter. The command line, the API and the browser use the same syntax.
 * @param now Unix milliseconds, the base of relative times such as `since:1h`
 */
export function parseFilter(text: string, now: number): Parsed {
  try {
    return { filter: read(text, now) };
  } catch (thrown) {
    if (thrown instanceof FilterSyntaxError) return { problem: thrown.problem };
    throw thrown;
  }
}

function read(text: string, now: number): Filter {
  if (text.length > maxFilterLength) {
    throw new FilterSyntaxError(`A filter has at most ${maxFilterLength} characters.`, { from: maxFilterLength, to: text.length });
  }
  let since: number | null = null;
  let until: number | null = null;
  const terms: Term[] = [];
  for (const raw of scanTerms(text)) {
    const ref = raw.name === null ? null : refOf(raw.name);
    if (ref === null) {
      terms.push(wordsOf(raw, text));
    } else if (ref.field.type === 'time') {
      const at = timeOf(ref, raw, now);
      if (ref.field.name === 'since') since = Math.max(at, since ?? at);
      else until = Math.min(at, until ?? at);
    } else {
      const any = raw.values.map((value) => readTest(ref.field, value));
      terms.push({ kind: 'field', field: ref.field, key: ref.key, negated: raw.negated, any, from: raw.from, to: raw.to });
    }
  }
  return { since, until, terms };
}

function refOf(name: { readonly text: string; readonly from: number; readonly to: number }): FieldRef {
  const found = findField(name.text);
  if (found !== undefined && toStorable(found.key) === found.key && !found.key.includes('\u{fffd}')) return found;
  if (found !== undefined) throw new FilterSyntaxError('A key has no NUL, no broken character and at most 400 characters.', name);
  const bare = name.text.replace(/\.$/, '').toLowerCase();
  if (fieldNames.includes(`${bare}.`))
    throw new FilterSyntaxError(`"${bare}" needs a name after a dot.`, name, `Example: ${bare}.team:web.`);
  const suggestion = nearest(name.text, fieldNames);
  const hint = suggestion === undefined ? 'Put text with a colon in quotes to search for it.' : `Did you mean "${suggestion}"?`;
  throw new FilterSyntaxError(`Unknown field "${name.text.slice(0, 40)}".`, name, hint);
}

function timeOf({ field }: FieldRef, raw: RawTerm, now: number): number {
  const other = field.name === 'since' ? 'until' : 'since';
  if (raw.negated) throw new FilterSyntaxError(`"${field.name}" cannot be negated.`, raw, `Use "${other}".`);
  const [value, second] = raw.values;
  if (value === undefined || second !== undefined) throw new FilterSyntaxError(`"${field.name}" accepts one time.`, second ?? raw);
  return readTime(field, value, now);
}

/** Words without a field. An empty alternative (`refund,`) is ordinary punctuation and is ignored. */
function wordsOf(raw: RawTerm, text: string): Term {
  const any = raw.values.map(({ parts }) => wordsIn(parts.join(' '))).filter((phrase) => phrase.length > 0);
  const written = text.slice(raw.from, raw.to);
  const colon = raw.values.some(({ quoted }) => quoted) ? -1 : written.indexOf(':');
  if (colon !== -1) {
    throw new FilterSyntaxError(
      `No field name in front of the colon of "${written.slice(0, 40)}".`,
      raw,
      'Put text with a colon in quotes.',
    );
  }
  if (any.length === 0) {
    const hint = /^[<>=]/.test(written) ? 'Write a comparison without spaces: latency:>2s.' : 'A word has letters or digits.';
    throw new FilterSyntaxError(`No word to search for in "${written.slice(0, 40)}".`, raw, hint);
  }
  return { kind: 'words', negated: raw.negated, any, from: raw.from, to: raw.to };
}

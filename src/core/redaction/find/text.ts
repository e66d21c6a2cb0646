import { TooLarge, type RedactionRules } from '../rules.ts';
import { findMediaIn } from '../media.ts';
import { findNamedSecrets } from '../names/named-secrets.ts';
import { findEscapedTags } from '../names/escaped-tags.ts';
import { findPassedSecrets } from '../names/calls.ts';
import { findOptions } from '../names/options.ts';
import { findSpokenPasswords } from '../names/sentences.ts';
import { findTaggedSecrets } from '../names/tags.ts';
import { isLogin } from '../names/values.ts';
import { Cursors } from './cursors.ts';
import { findEmails } from './emails.ts';
import { mayNameLogin, mayNameSecret } from '../names/member-names.ts';
import { decoded, Offsets } from '../texts/strings.ts';
import { readable } from '../texts/unicode.ts';
import { Hits, type Kind, placeholder } from './hits.ts';
import { findKeys, findWholeKey } from './keys.ts';
import { findNumbers, findWideNumbers } from './numbers.ts';
import { findEncodedPhones } from './phones.ts';

/** Maximum characters of all texts of one body that the operator's own patterns are matched against. */
const ownPatternLimit = 128 * 1024;

/** The remaining effort for one body. */
export class PatternBudget {
  left = ownPatternLimit;

  spend(characters: number): void {
    this.left -= characters;
    if (this.left < 0) throw new TooLarge();
  }
}

/** A decoded text, or a part of a text without escapes. */
export interface Passage {
  readonly cursors: Cursors;
  readonly from: number;
  readonly to: number;
  /** Name of the member that contains it. */
  readonly name: string;
}

export const passage = (text: string, name: string): Passage => ({ cursors: new Cursors(text), from: 0, to: text.length, name });

/** Levels of JSON inside a text whose escapes are decoded: the text of a tool call may contain that of another one. */
const maxLevels = 3;

/** Finds everything that has to be masked, also if it is escaped in JSON inside the text. */
export function findAll(part: Passage, rules: RedactionRules, effort: PatternBudget, hits: Hits, level = 0): void {
  findAsWritten(part, rules, effort, hits);
  const { cursors, from, to, name } = part;
  if (level === maxLevels || cursors.escape(from) >= to) return;
  const raw = cursors.text.slice(from, to);
  // The other escapes do not hide a value: the finders skip them.
  if (!/\\[u/]/.test(raw)) return;
  const inner = new Hits();
  findAll(passage(decoded(raw), name), rules, effort, inner, level + 1);
  const offsets = new Offsets(cursors.text, from);
  for (const range of rangesOf(inner)) hits.add(range.kind, offsets.of(range.from), offsets.of(range.to), range.words);
}

function findAsWritten(passage: Passage, rules: RedactionRules, effort: PatternBudget, hits: Hits): void {
  const { cursors, from, to } = passage;
  const known = hits.count;
  if (rules.media !== 'keep') findMediaIn(cursors, from, to, rules.media, hits);
  // Files are not searched.
  let start = from;
  for (let i = known; i < hits.count && start < to; i += 1) {
    if (hits.kinds[i] !== 'media') break;
    findValues({ ...passage, from: start, to: at(hits.from, i) }, rules, hits);
    start = at(hits.to, i);
  }
  findValues(start === from ? passage : { ...passage, from: start }, rules, hits);
  findOperatorPatterns(passage, rules, effort, hits);
}

function findValues({ cursors, from, to, name }: Passage, { patterns }: RedactionRules, hits: Hits): void {
  if (to - from < 6) return;
  findKeys(cursors, from, to, hits);
  findNamedSecrets(cursors, from, to, hits);
  findTaggedSecrets(cursors, from, to, hits);
  findEscapedTags(cursors, from, to, hits);
  findPassedSecrets(cursors, from, to, hits);
  findOptions(cursors, from, to, hits);
  findSpokenPasswords(cursors, from, to, hits);
  if (mayNameSecret(name)) findWholeKey(cursors.text, from, to, hits);
  if (mayNameLogin(name) && isLogin(cursors.text.slice(from, to))) hits.add('secret', from, to);
  if (patterns.has('email')) findEmails(cursors, from, to, hits);
  if (patterns.has('phone')) findEncodedPhones(cursors, from, to, hits);
  if (patterns.has('phone') || patterns.has('iban') || patterns.has('credit_card')) {
    findNumbers(cursors, from, to, { patterns, name }, hits);
    findWideNumbers(cursors, from, to, { patterns, name }, hits);
  }
}

/** Finds the matches of the operator's own patterns. @throws TooLarge */
export function findOperatorPatterns(
  { cursors, from: start, to: end }: Passage,
  { own }: RedactionRules,
  effort: PatternBudget,
  hits: Hits,
): void {
  if (own.length === 0) return;
  const whole = readable(cursors.text.slice(start, end));
  const { text } = whole;
  for (const pattern of own) {
    effort.spend(end - start);
    pattern.each(text, (from, to) => {
      if (to > from && !isPlaceholder(text, from, to)) hits.add('pattern', start + whole.from(from), start + whole.from(to));
    });
  }
}

const placeholders = /\[(?:email|phone|iban|credit_card|secret|field|media|pattern|logprobs|cut)[^\]]*\]/y;
const longestPlaceholder = 200;

/** True if the range is within the placeholder of an earlier match. */
function isPlaceholder(text: string, from: number, to: number): boolean {
  const least = Math.max(0, from - longestPlaceholder);
  const open = text.slice(least, from + 1).lastIndexOf('[');
  if (open < 0) return false;
  placeholders.lastIndex = least + open;
  return placeholders.test(text.slice(0, least + open + 2 * longestPlaceholder)) && placeholders.lastIndex >= to;
}

/** A range to be replaced. */
export interface Range {
  readonly from: number;
  readonly to: number;
  readonly kind: Kind;
  readonly words: string;
}

/** The matches in order. Overlapping ones are merged, under the kind of the first. */
export function rangesOf(hits: Hits): readonly Range[] {
  if (hits.count === 0) return none;
  const order = hits.from.map((_, i) => i).toSorted((a, b) => at(hits.from, a) - at(hits.from, b) || at(hits.to, b) - at(hits.to, a));
  const out: { from: number; to: number; kind: Kind; words: string }[] = [];
  for (const i of order) {
    const from = at(hits.from, i);
    const to = at(hits.to, i);
    const last = out.at(-1);
    if (last !== undefined && from < last.to) last.to = Math.max(last.to, to);
    else out.push({ from, to, kind: hits.kinds[i] as Kind, words: hits.replacements[i] ?? placeholder(hits.kinds[i] as Kind) });
  }
  return out;
}

const none: readonly Range[] = Object.freeze([]);

const at = (list: readonly number[], i: number): number => list[i] as number;

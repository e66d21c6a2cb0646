import { Edits } from './edits.ts';
import { isCard, maxCardLength } from './find/cards.ts';
import { isDigit, isLetter } from './find/classes.ts';
import { Cursors } from './find/cursors.ts';
import { Hits, placeholder } from './find/hits.ts';
import { minKeyLength } from './find/issued.ts';
import { endOfPhone } from './find/phones.ts';
import { type PatternBudget, findAll, findOperatorPatterns, passage, rangesOf } from './find/text.ts';
import { fileReplacement, shortestFile } from './media.ts';
import type { MaskedFields } from './masked-fields.ts';
import { namesSecret, namesSecretList, namesTokenList } from './names/member-names.ts';
import { isSecretMember } from './names/members.ts';
import { isInListOf, isSecondOfSecret, isValueOfSecret, looksSecret } from './names/pairs.ts';
import type { FindKnown, RedactionRules } from './rules.ts';
import { decoded, Offsets } from './texts/strings.ts';
import { cutMark, tailOf } from './texts/tail.ts';
import { pathHash, type Visitor, JsonTraversal } from './json-traversal.ts';

/** The rules in the form that a walk needs. */
export interface CompiledRules extends RedactionRules {
  readonly fieldPaths: ReadonlySet<number>;
  readonly findKnown: FindKnown;
  /** True if the rules have no fields and no patterns of the operator. */
  readonly hasDefaultRules: boolean;
  /** True if a path addresses all elements of a list. */
  readonly hasElements: boolean;
}

export const compileRules = (rules: RedactionRules, findKnown: FindKnown): CompiledRules => ({
  ...rules,
  fieldPaths: new Set(rules.fields.map(pathHash)),
  findKnown,
  hasDefaultRules: rules.fields.length === 0 && rules.own.length === 0,
  hasElements: rules.fields.some((path) => path.endsWith('[*]')),
});

/** Empty values, and placeholders. */
const emptyValue = /^(?:null|\[\]|\{\}|""|"\[[a-z_]+\]")$/;

const quote = 0x22;
const colon = 0x3a;
/** Maximum characters of a number that the operator's patterns are matched against. */
const longestNumber = 1024;
/** Maximum characters that are read of a text in a list. */
const longestListed = 16 * 1024;
/** Some programs write every number with a fraction. */
const wholeNumber = /^(\d+)(?:\.0+)?$/;

/** True for a text that is too short for a key, and has only letters, blanks and joining signs, and no option: nothing matches it. */
function isWord(text: string, start: number, end: number): boolean {
  if (end - start >= minKeyLength) return false;
  for (let at = start; at < end; at += 1) {
    const c = text.charCodeAt(at);
    if (isLetter(c)) continue;
    if (c !== 0x5f && c !== 0x2d && c !== 0x20) return false;
    if (c === 0x2d && text.charCodeAt(at - 1) === 0x20) return false;
  }
  return true;
}

/** Masks one JSON text, as edits of that text (one character per byte). The rest stays byte for byte the same. */
export class Masker implements Visitor {
  readonly edits = new Edits();
  readonly traversal = new JsonTraversal();
  readonly text: string;
  protected readonly cursors: Cursors;
  protected readonly rules: CompiledRules;
  protected readonly effort: PatternBudget;
  readonly skipsElements: boolean;
  readonly reportsAll: boolean;
  /** The matches of the current text. */
  readonly #hits = new Hits();
  /** Texts of fields that were masked in an earlier body. Those of this body are added. */
  fields: MaskedFields | undefined;

  constructor(text: string, rules: CompiledRules, effort: PatternBudget) {
    this.text = text;
    this.cursors = new Cursors(text);
    this.rules = rules;
    this.effort = effort;
    this.skipsElements = rules.hasElements;
    this.reportsAll = rules.own.length > 0;
  }

  string(start: number, end: number, isEscaped: boolean, _channel: number, _path: number): void {
    if (!this.replaced(start, end, isEscaped)) this.mask(start, end, isEscaped);
  }

  /** Replaces a string as a whole if it is a file, or the text of a masked field. */
  protected replaced(start: number, end: number, isEscaped: boolean): boolean {
    if (this.#file(start, end, isEscaped)) return true;
    if (this.#isListedSecret(start, end)) {
      this.edits.add(start, end, placeholder('secret'), 'secret');
      return true;
    }
    const isField = this.fields?.isEmpty === false && this.fields.has(this.text.slice(start, end), isEscaped);
    if (isField) this.edits.add(start, end, placeholder('field'), 'field');
    return isField;
  }

  /** True for a text in the list of a secret's member, or in a pair with its name. */
  #isListedSecret(start: number, end: number): boolean {
    const { text, traversal } = this;
    if (text.charCodeAt(start - 2) === colon || text.charCodeAt(start - 1) !== quote) return false;
    const isListed =
      (traversal.mayNameBeMasked(text) && namesSecretList(traversal.nameIn(text)) && isInListOf(text, traversal.nameEnd, start)) ||
      isSecondOfSecret(text, start, end);
    return isListed && looksSecret(text.slice(start, Math.min(end, start + longestListed)));
  }

  /** Names can be user content, such as email addresses or account numbers as keys of an object. */
  name(start: number, end: number, isEscaped: boolean): void {
    this.#maskAs('', start, end, isEscaped);
  }

  /** Masks the matches within a text. */
  protected mask(start: number, end: number, isEscaped: boolean): void {
    this.#maskAs(this.traversal.nameIn(this.text), start, end, isEscaped);
  }

  #maskAs(name: string, start: number, end: number, isEscaped: boolean): void {
    if (this.rules.own.length === 0 && (end - start < 6 || isWord(this.text, start, end))) return;
    const hits = this.#hits;
    hits.clear();
    if (isEscaped) this.#escaped(start, end, name, hits);
    else {
      findAll({ cursors: this.cursors, from: start, to: end, name }, this.rules, this.effort, hits);
      for (const { from, to, kind, words } of rangesOf(hits)) this.edits.add(from, to, words, kind);
    }
  }

  #escaped(start: number, end: number, name: string, hits: Hits): void {
    const raw = this.text.slice(start, end);
    const content = decoded(raw);
    findAll(passage(content, name), this.rules, this.effort, hits);
    // The text has escapes that the mask of the spool does not know.
    if (raw.includes('\\u') || raw.includes('\\/')) this.rules.findKnown(content, hits);
    const offsets = new Offsets(this.text, start);
    for (const { from, to, kind, words } of rangesOf(hits)) this.edits.add(offsets.of(from), offsets.of(to), words, kind);
  }

  #file(start: number, end: number, isEscaped: boolean): boolean {
    const { media } = this.rules;
    if (media === 'keep' || end - start < shortestFile) return false;
    const plain = isEscaped ? decoded(this.text.slice(start, end)).replaceAll(/[\r\n]/g, '') : undefined;
    const words = plain === undefined ? fileReplacement(this.text, start, end, media) : fileReplacement(plain, 0, plain.length, media);
    if (words === undefined) return false;
    this.edits.add(start, end, words, 'media');
    return true;
  }

  /** A masked JSON number becomes a string, because a number cannot show what was masked. */
  number(start: number, end: number): void {
    const written = this.text.slice(start, Math.min(end, start + longestNumber));
    if (this.rules.own.length > 0 && this.#matchesOperatorPattern(written))
      this.edits.add(start, end, `"${placeholder('pattern')}"`, 'pattern');
    else {
      const kind = this.#kindOf(wholeNumber.exec(written)?.[1] ?? '');
      if (kind !== undefined) this.edits.add(start, end, `"${placeholder(kind)}"`, kind);
    }
  }

  #kindOf(digits: string): 'credit_card' | 'phone' | undefined {
    const { length } = digits;
    const { patterns } = this.rules;
    if (patterns.has('credit_card') && length >= 13 && length <= maxCardLength && isCard(digits)) return 'credit_card';
    const isPhone =
      patterns.has('phone') && length >= 7 && length <= 15 && endOfPhone(digits, 0, this.traversal.nameIn(this.text)) === length;
    return isPhone ? 'phone' : undefined;
  }

  #matchesOperatorPattern(digits: string): boolean {
    const hits = new Hits();
    findOperatorPatterns(passage(digits, ''), this.rules, this.effort, hits);
    return hits.count > 0;
  }

  skips(path: number, name: number, first: number): boolean {
    if (this.rules.fieldPaths.size > 0 && this.rules.fieldPaths.has(path)) return true;
    // An element of a list.
    if (name === 0) return false;
    if (first === quote || isDigit(first)) return this.traversal.mayNameBeMasked(this.text) && this.#isSecret(first);
    return (first === 0x7b || first === 0x5b) && this.#isTokenList();
  }

  /** @param first first character of the value */
  #isSecret(first: number): boolean {
    const { text } = this;
    const { nameStart, nameEnd } = this.traversal;
    const name = this.traversal.nameIn(text);
    if (first === quote && (namesSecret(name) || isValueOfSecret(text, nameStart, nameEnd, { from: 0, to: text.length }))) return true;
    return isSecretMember(name, text, nameEnd);
  }

  #isTokenList(): boolean {
    return this.traversal.mayNameBeMasked(this.text) && namesTokenList(this.traversal.nameIn(this.text));
  }

  reach(): number {
    return this.text.length;
  }

  /** Masks the end of a truncated text. */
  hideTail(): void {
    const tail = tailOf(this.text);
    if (tail < this.text.length) this.edits.add(tail, this.text.length, cutMark, undefined);
  }

  skipped(start: number, end: number, path: number): void {
    const isField = this.rules.fieldPaths.has(path);
    const kind = isField ? 'field' : this.#isTokenList() ? 'logprobs' : 'secret';
    // A number ends before the white space after it.
    const written = this.text.slice(start, end).trimEnd();
    const words = `"${placeholder(kind)}"`;
    if (emptyValue.test(written)) return;
    this.edits.add(start, start + written.length, words, kind);
    if (isField) this.fields?.add(written);
  }
}

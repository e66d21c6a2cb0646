import { Edits } from './edits.ts';
import { isCard } from './find/cards.ts';
import { Cursors } from './find/cursors.ts';
import { Hits, placeholder } from './find/hits.ts';
import { endOfPhone } from './find/phones.ts';
import { type Effort, findAll, findOwn, passage, rangesOf } from './find/text.ts';
import { fileIn, shortestFile } from './media.ts';
import type { MaskedFields } from './masked-fields.ts';
import { namesSecret, namesTokenList } from './member-names.ts';
import type { FindKnown, RedactionRules } from './rules.ts';
import { decoded, Offsets } from './texts/strings.ts';
import { cutMark, tailOf } from './texts/tail.ts';
import { pathHash, type Visitor, Walk } from './walk.ts';

/** The rules in the form in which a walk asks for them. */
export interface CompiledRules extends RedactionRules {
  readonly fieldPaths: ReadonlySet<number>;
  readonly findKnown: FindKnown;
  /** What may be masked is known without the operator's own fields and patterns. */
  readonly isUsual: boolean;
  /** A path names the elements of a list. */
  readonly hasElements: boolean;
}

export const compileRules = (rules: RedactionRules, findKnown: FindKnown): CompiledRules => ({
  ...rules,
  fieldPaths: new Set(rules.fields.map(pathHash)),
  findKnown,
  isUsual: rules.fields.length === 0 && rules.own.length === 0,
  hasElements: rules.fields.some((path) => path.endsWith('[*]')),
});

/** Empty values, and what is masked already. */
const nothing = /^(?:null|\[\]|\{\}|""|"\[[a-z_]+\]")$/;

const quote = 0x22;
/** Characters of a number that own patterns are matched against. */
const longestNumber = 1024;

/** Masks what one JSON text holds, as edits of that text (one byte a character). What is outside of them stays byte for byte. */
export class Masker implements Visitor {
  readonly edits = new Edits();
  readonly walk = new Walk();
  readonly text: string;
  protected readonly cursors: Cursors;
  protected readonly rules: CompiledRules;
  protected readonly effort: Effort;
  readonly skipsElements: boolean;
  readonly looksAtAll: boolean;
  /** Texts of fields that were masked in a body before this one; those of this one are added. */
  fields: MaskedFields | undefined;

  constructor(text: string, rules: CompiledRules, effort: Effort) {
    this.text = text;
    this.cursors = new Cursors(text);
    this.rules = rules;
    this.effort = effort;
    this.skipsElements = rules.hasElements;
    this.looksAtAll = rules.own.length > 0;
  }

  string(start: number, end: number, isEscaped: boolean, _channel: number, _path: number): void {
    if (this.file(start, end, isEscaped)) return;
    if (this.fields?.isEmpty === false && this.fields.has(this.text.slice(start, end), isEscaped)) {
      this.edits.add(start, end, placeholder('field'), 'field');
      return;
    }
    this.mask(start, end, isEscaped);
  }

  /** Names may be what somebody wrote: addresses and numbers of accounts as keys of an object. */
  name(start: number, end: number, isEscaped: boolean): void {
    this.#maskAs('', start, end, isEscaped);
  }

  /** What is found within a text. */
  protected mask(start: number, end: number, isEscaped: boolean): void {
    this.#maskAs(this.walk.nameIn(this.text), start, end, isEscaped);
  }

  #maskAs(name: string, start: number, end: number, isEscaped: boolean): void {
    if (end - start < 6 && this.rules.own.length === 0) return;
    const hits = new Hits();
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
    // Written with other escapes than those that the mask of the spool knows.
    if (raw.includes('\\u') || raw.includes('\\/')) this.rules.findKnown(content, hits);
    const offsets = new Offsets(this.text, start);
    for (const { from, to, kind, words } of rangesOf(hits)) this.edits.add(offsets.of(from), offsets.of(to), words, kind);
  }

  /** A string that is a file as a whole. */
  protected file(start: number, end: number, isEscaped: boolean): boolean {
    const { media } = this.rules;
    if (media === 'keep' || end - start < shortestFile) return false;
    const plain = isEscaped ? decoded(this.text.slice(start, end)).replaceAll(/[\r\n]/g, '') : undefined;
    const words = plain === undefined ? fileIn(this.text, start, end, media) : fileIn(plain, 0, plain.length, media);
    if (words === undefined) return false;
    this.edits.add(start, end, words, 'media');
    return true;
  }

  /** A number of JSON becomes a string: nothing else says what it was. */
  number(start: number, end: number): void {
    const length = end - start;
    const digits = this.text.slice(start, Math.min(end, start + longestNumber));
    const { patterns } = this.rules;
    if (this.rules.own.length > 0 && this.#isOwn(digits)) this.edits.add(start, end, `"${placeholder('pattern')}"`, 'pattern');
    else if (length < 7 || length > 19 || !/^\d+$/.test(digits)) return;
    else if (patterns.has('credit_card') && length >= 13 && isCard(digits)) this.edits.add(start, end, '"[credit_card]"', 'credit_card');
    else if (patterns.has('phone') && length <= 15 && endOfPhone(digits, 0, this.walk.nameIn(this.text)) === length)
      this.edits.add(start, end, '"[phone]"', 'phone');
  }

  #isOwn(digits: string): boolean {
    const hits = new Hits();
    findOwn(passage(digits, ''), this.rules, this.effort, hits);
    return hits.count > 0;
  }

  skips(path: number, name: number, first: number): boolean {
    if (this.rules.fieldPaths.size > 0 && this.rules.fieldPaths.has(path)) return true;
    // An element of a list.
    if (name === 0) return false;
    if (first === quote) return this.walk.mayNameBeMasked(this.text) && namesSecret(this.#name());
    return (first === 0x7b || first === 0x5b) && this.#isTokenList();
  }

  #isTokenList(): boolean {
    return this.walk.mayNameBeMasked(this.text) && namesTokenList(this.#name());
  }

  #name(): string {
    return decoded(this.walk.nameIn(this.text));
  }

  reach(): number {
    return this.text.length;
  }

  /** Of a text that was cut. */
  hideTail(): void {
    const tail = tailOf(this.text);
    if (tail < this.text.length) this.edits.add(tail, this.text.length, cutMark, undefined);
  }

  skipped(start: number, end: number, path: number): void {
    const isField = this.rules.fieldPaths.has(path);
    const kind = isField ? 'field' : this.#isTokenList() ? 'logprobs' : 'secret';
    const written = this.text.slice(start, end);
    const words = `"${placeholder(kind)}"`;
    if (nothing.test(written)) return;
    this.edits.add(start, end, words, kind);
    if (isField) this.fields?.add(written);
  }
}

import { isJsonObject } from '../../../core/json/merge.ts';
import type { Versioned } from '../../../core/model/prompt.ts';
import type { PromptVersionEntry } from '../../schema/index.ts';
import { isTemplate, parseTemplate, type Piece } from '../../validate/template.ts';
import { invalidConfig } from '../invalid.ts';
import type { Part } from './render.ts';

/** A version of a prompt as written. */
export interface PromptSource extends Versioned {
  readonly entry: PromptVersionEntry;
}

/** The linked templates of one version. */
export interface LinkedTemplates {
  /** Parsed form of a string; undefined when it has no tag. */
  template(text: string): readonly Part[] | undefined;
  /** Other prompts whose texts were inserted, in the order of first use. */
  readonly included: readonly PromptSource[];
  /** Names printed outside of sections. Filled by `template`, as is `reads`, which has all names. */
  readonly prints: ReadonlySet<string>;
  readonly reads: ReadonlySet<string>;
}

/** Inserts partials into templates. A version's own partials take precedence over other prompts, whose texts keep their own partials. */
export function linkTemplates(source: PromptSource, find: (reference: string) => PromptSource): LinkedTemplates {
  return new Linker(source, find);
}

class Linker implements LinkedTemplates {
  readonly included: PromptSource[] = [];
  readonly prints = new Set<string>();
  readonly reads = new Set<string>();
  readonly #source: PromptSource;
  readonly #find: (reference: string) => PromptSource;
  /** Linked texts by key. Each text is linked once, however often it is inserted. */
  readonly #linked = new Map<string, readonly Part[]>();

  constructor(source: PromptSource, find: (reference: string) => PromptSource) {
    this.#source = source;
    this.#find = find;
  }

  template(text: string): readonly Part[] | undefined {
    return isTemplate(text) ? this.#link(parseTemplate(text), this.#source, [], false) : undefined;
  }

  #link(pieces: readonly Piece[], source: PromptSource, within: readonly string[], inSection: boolean): readonly Part[] {
    return pieces.map((piece): Part => {
      if (piece.kind === 'text') return piece.text;
      if (piece.kind === 'partial') return this.#partial(piece.name, piece.indent, source, within, inSection);
      const names = piece.name === '.' ? ['.'] : piece.name.split('.');
      const [first = ''] = names;
      if (first !== '.') this.reads.add(first);
      if (piece.kind === 'value') {
        if (first !== '.' && !inSection) this.prints.add(first);
        return { names, section: undefined };
      }
      const parts = this.#link(piece.pieces, source, within, inSection || !piece.isInverted);
      return { names, section: { isInverted: piece.isInverted, parts } };
    });
  }

  #partial(name: string, indent: string, source: PromptSource, within: readonly string[], inSection: boolean): readonly Part[] {
    const partials = source.entry.partials;
    const isOwn = partials !== undefined && Object.hasOwn(partials, name);
    const from = isOwn ? source : this.#find(name);
    const key = `${from.id}@${from.number}${isOwn ? `>${name}` : ''}`;
    if (within.includes(key)) throw invalidConfig(`the partial "${name}" contains itself`, undefined, `prompts.${source.id}`);
    const known = this.#linked.get(`${indent}${key}${inSection}`);
    if (known !== undefined) return known;
    if (!isOwn && !this.included.includes(from)) this.included.push(from);
    const text = isOwn ? (partials[name] ?? '') : textsOf(from).join('\n\n');
    const parts = this.#link(parseTemplate(indented(text, indent)), from, [...within, key], inSection);
    this.#linked.set(`${indent}${key}${inSection}`, parts);
    return parts;
  }
}

/** Texts that another prompt receives when it inserts this one: those of messages and of their parts, in order. */
function textsOf({ entry }: PromptSource): string[] {
  return entry.messages.flatMap(({ content }) => {
    if (typeof content === 'string') return [content];
    if (!Array.isArray(content)) return [];
    return content.flatMap((part: unknown) => (isJsonObject(part) && typeof part['text'] === 'string' ? [part['text']] : []));
  });
}

function indented(text: string, indent: string): string {
  return indent === '' ? text : text.replace(/^(?=.)/gm, indent);
}

import { createRequire } from 'node:module';
import type Mustache from 'mustache';
import { lowerFirst } from '../../core/text/wording.ts';

const load = createRequire(import.meta.url);

/** Loads the library on first use: few configurations have templates. */
const mustache = (): typeof Mustache => load('mustache') as typeof Mustache;

/** A part of a parsed template: text, value, section or partial, each with its position. */
export type Piece = TextPiece | ValuePiece | SectionPiece | PartialPiece;

export interface TextPiece {
  readonly kind: 'text';
  readonly text: string;
}

export interface ValuePiece {
  readonly kind: 'value';
  /** Dotted name; `.` is the value of the enclosing section. */
  readonly name: string;
  readonly at: Span;
}

export interface SectionPiece {
  readonly kind: 'section';
  readonly name: string;
  /** `{{^name}}`: rendered if the value is absent, false, empty or 0. */
  readonly isInverted: boolean;
  readonly pieces: readonly Piece[];
  readonly at: Span;
}

export interface PartialPiece {
  readonly kind: 'partial';
  readonly name: string;
  /** Indentation of a partial that is alone on its line. It is added to each line of the partial. */
  readonly indent: string;
  readonly at: Span;
}

/** Most sections of a template, and most partials, that contain each other: both are processed by recursion. */
export const maxNesting = 100;

/** Offsets into the template. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A template that cannot be parsed. `index` is the offset of the error. */
export class TemplateFault extends Error {
  override readonly name = 'TemplateFault';
  readonly index: number;

  constructor(message: string, index: number) {
    super(message);
    this.index = index;
  }
}

/** Keys of messages whose strings are not templates: kinds of parts, and JSON text, whose syntax an inserted value could break. */
export const nonTemplateKeys: ReadonlySet<string> = new Set(['role', 'type', 'arguments']);

/** True for text that contains a tag, or the beginning of one. */
export const isTemplate = (text: string): boolean => text.includes('{{');

/**
 * Parses a mustache template. `{{{x}}}` and `{{&x}}` are the same as `{{x}}`: nothing is escaped.
 * @throws TemplateFault
 */
export function parseTemplate(text: string): readonly Piece[] {
  return piecesOf(tokensOf(text), text);
}

/**
 * Token of the library: `[type, value, start, end, children or indentation, end of section or position on the line,
 * other text before it on its line]`.
 */
type Token = readonly [string, string, number, number, (readonly Token[] | string)?, number?, boolean?];

function tokensOf(text: string): readonly Token[] {
  const writer = new (mustache().Writer)();
  try {
    return writer.parse(text) as unknown as readonly Token[];
  } catch (error) {
    throw faultOf((error as Error).message, text);
  }
}

/** The library ends its message with an offset. For an unclosed section, that is the offset of the end. */
function faultOf(message: string, text: string): TemplateFault {
  const [, reason = message, at] = /^(.*?)(?: at (\d+))?$/s.exec(message) ?? [];
  const unclosed = /^Unclosed section "(.*)"$/s.exec(reason)?.[1];
  const opening = unclosed === undefined ? -1 : openingOf(unclosed, text);
  const unclosedTag = reason === 'Unclosed tag' ? text.lastIndexOf('{{') : -1;
  const index = opening >= 0 ? opening : unclosedTag >= 0 ? unclosedTag : Number(at ?? 0);
  return new TemplateFault(lowerFirst(reason), index);
}

/** Offset of the first tag that opens a section of this name; -1 if there is none. The name may be too long for a regular expression. */
function openingOf(name: string, text: string): number {
  for (const { 0: mark, index } of text.matchAll(/\{\{\s*[#^]\s*/g)) {
    const start = index + mark.length;
    if (
      text.startsWith(name, start) &&
      text
        .slice(start + name.length)
        .trimStart()
        .startsWith('}}')
    )
      return index;
  }
  return -1;
}

function piecesOf(tokens: readonly Token[], text: string, depth = 0): readonly Piece[] {
  return tokens.flatMap((token): Piece[] => {
    const [type, value, start, end, inner] = token;
    if (type === 'text') return [{ kind: 'text', text: value }];
    if (type === '!' || type === '=') return [];
    if (value === '') throw new TemplateFault('a tag without a name', start);
    const at = { start, end };
    if (type === '>') return [{ kind: 'partial', name: value, indent: indentOf(token, text), at }];
    if (type !== '#' && type !== '^') return [{ kind: 'value', name: value, at }];
    if (depth >= maxNesting) throw new TemplateFault(`sections are nested more than ${maxNesting} levels deep`, start);
    const pieces = piecesOf(Array.isArray(inner) ? inner : [], text, depth + 1);
    return [{ kind: 'section', name: value, isInverted: type === '^', pieces, at }];
  });
}

/** Indentation that a partial alone on its line passes on (mustache specification, partials). */
function indentOf([, , , end, indentation, tagIndex, follows]: Token, text: string): string {
  const isAlone = tagIndex === 0 && follows !== true && /^[ \t]*(?:\r?\n|$)/.test(text.slice(end));
  return isAlone && typeof indentation === 'string' ? indentation.replace(/[^ \t]/g, '') : '';
}

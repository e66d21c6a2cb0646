import { createRequire } from 'node:module';
import type * as Re2 from 're2js';
import type { OwnPattern } from '../../core/redaction/rules.ts';
import { sizeOfPattern } from './regex-size.ts';

const load = createRequire(import.meta.url);

/** The first call reads the engine: few configurations have patterns. */
const engine = (): typeof Re2.RE2JS => (load('re2js') as typeof Re2).RE2JS;

/** A pattern that is matched in time linear to the text, whatever the pattern. */
export interface LinearRegex {
  test(text: string): boolean;
}

/** Compiles a pattern; `error` says why it can't be used. */
export type RegexCompiler = (pattern: string) => LinearRegex | { readonly error: string };

/** Steps of one pattern of `gateway.yaml`, as `sizeOfPattern` counts them. */
const mostSteps = 10_000;

/** Characters of a text: the time of a match grows with the text times the pattern. A longer one matches nothing. */
const longestText = 8192;

/** Compiles a pattern of a configuration, unanchored and without flags. One that is too large is not compiled at all. */
export function compileRegex(pattern: string): LinearRegex | { readonly error: string } {
  return compileWithin(pattern, mostSteps);
}

/** A pattern that is looked for everywhere in a text, for redaction. Texts may be long: whoever calls bounds them. */
export function compileFinder(pattern: string): OwnPattern | { readonly error: string } {
  const size = sizeOfPattern(pattern);
  if (size > mostSteps) return { error: `it is too large: about ${size} steps, and the limit is ${mostSteps}` };
  try {
    const compiled = engine().compile(pattern);
    if (compiled.matches('')) return { error: 'it matches an empty text' };
    const lead = leadOf(pattern);
    return {
      source: pattern,
      each(text, found) {
        // What a match begins with is found much faster than the match.
        const first = lead === '' ? 0 : text.indexOf(lead);
        if (first < 0) return;
        const matcher = compiled.matcher(text);
        for (let isFound = matcher.find(first); isFound; isFound = matcher.find()) found(matcher.start(), matcher.end());
      },
    };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

/** The letters, digits and signs that each match begins with. */
function leadOf(pattern: string): string {
  if (pattern.includes('|')) return '';
  const lead = /^[\w\-:#@/ ]*/.exec(pattern)?.[0] ?? '';
  // The last one may be optional.
  return /^[?*{]/.test(pattern.slice(lead.length)) ? lead.slice(0, -1) : lead;
}

/** A pattern of our own making that a text has to fit as a whole. A dot is any character. */
export function compileWhole(pattern: string): (text: string) => boolean {
  const compiled = engine().compile(pattern, engine().DOTALL);
  return (text) => compiled.matches(text);
}

function compileWithin(pattern: string, most: number): LinearRegex | { readonly error: string } {
  const size = sizeOfPattern(pattern);
  if (size > most) return { error: `it is too large: about ${size} steps, and the limit is ${most}` };
  try {
    const compiled = engine().compile(pattern);
    return { test: (text) => text.length <= longestText && compiled.test(text) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

/** All patterns of one config that comes with a request. */
const requestPatterns = 10;
const requestSteps = 1000;

/** Compiles the patterns of one config that comes with a request: all of them together are bounded. */
export class RequestRegexes {
  /** Patterns that were compiled. */
  count = 0;
  #steps = requestSteps;

  readonly compile: RegexCompiler = (pattern) => {
    this.count += 1;
    if (this.count > requestPatterns) return { error: `a config sent with a request may contain ${requestPatterns} patterns` };
    const size = sizeOfPattern(pattern);
    this.#steps -= size;
    if (this.#steps >= 0) return compileWithin(pattern, size);
    return { error: `it is too large: all patterns of a request together may have ${requestSteps} steps, and this one has about ${size}` };
  };
}

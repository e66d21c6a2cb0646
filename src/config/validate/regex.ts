import { createRequire } from 'node:module';
import type * as Re2 from 're2js';
import type { OperatorPattern } from '../../core/redaction/rules.ts';
import { sizeOfPattern } from './regex-size.ts';

const load = createRequire(import.meta.url);

/** Loads the engine on first use: few configurations have patterns. */
const engine = (): typeof Re2.RE2JS => (load('re2js') as typeof Re2).RE2JS;

/** A pattern that is matched in time linear in the length of the text, for every pattern. */
export interface LinearRegex {
  test(text: string): boolean;
}

/** Compiles a pattern. `error` is the reason why it cannot be used. */
export type RegexCompiler = (pattern: string) => LinearRegex | { readonly error: string };

/** Most steps of one pattern in `gateway.yaml`, as counted by `sizeOfPattern`. */
const maxSteps = 10_000;

/** Longest text to match, in characters: the time of a match grows with text times pattern. Longer texts never match. */
const maxTextLength = 8192;

/** Compiles a pattern of a configuration, unanchored and without flags. A pattern that is too large is rejected without compiling it. */
export function compileRegex(pattern: string): LinearRegex | { readonly error: string } {
  return compileWithin(pattern, maxSteps);
}

/** Compiles a pattern to find all matches in a text, for redaction. The caller must limit the length of texts. */
export function compileFinder(pattern: string): OperatorPattern | { readonly error: string } {
  const size = sizeOfPattern(pattern);
  if (size > maxSteps) return { error: `it is too large: about ${size} steps, and the limit is ${maxSteps}` };
  try {
    const compiled = engine().compile(pattern);
    if (compiled.matches('')) return { error: 'it matches an empty text' };
    const prefix = literalPrefixOf(pattern);
    return {
      source: pattern,
      each(text, found) {
        // Searching for the literal prefix is much faster than matching.
        const first = prefix === '' ? 0 : text.indexOf(prefix);
        if (first < 0) return;
        const matcher = compiled.matcher(text);
        for (let isFound = matcher.find(first); isFound; isFound = matcher.find()) found(matcher.start(), matcher.end());
      },
    };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

/** Literal prefix of every match: letters, digits and signs. */
function literalPrefixOf(pattern: string): string {
  if (pattern.includes('|')) return '';
  const prefix = /^[\w\-:#@/ ]*/.exec(pattern)?.[0] ?? '';
  // The last character may be optional.
  return /^[?*{]/.test(pattern.slice(prefix.length)) ? prefix.slice(0, -1) : prefix;
}

/** Compiles a pattern built by the gateway that must match the whole text. A dot matches any character. */
export function compileFullMatch(pattern: string): (text: string) => boolean {
  const compiled = engine().compile(pattern, engine().DOTALL);
  return (text) => compiled.matches(text);
}

function compileWithin(pattern: string, most: number): LinearRegex | { readonly error: string } {
  const size = sizeOfPattern(pattern);
  if (size > most) return { error: `it is too large: about ${size} steps, and the limit is ${most}` };
  try {
    const compiled = engine().compile(pattern);
    return { test: (text) => text.length <= maxTextLength && compiled.test(text) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

/** Limits for all patterns of one config sent with a request. */
const requestPatterns = 10;
const requestSteps = 1000;

/** Compiles the patterns of one config sent with a request, within a common limit. */
export class RequestRegexes {
  /** Number of patterns compiled. */
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

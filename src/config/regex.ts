import { RE2JS } from 're2js';

/** A pattern that is matched in time linear to the text, whatever the pattern. */
export interface LinearRegex {
  test(text: string): boolean;
}

/** Compiles a pattern of a configuration, unanchored and without flags; `error` says why it can't be used. */
export function compileRegex(pattern: string): LinearRegex | { readonly error: string } {
  try {
    const compiled = RE2JS.compile(pattern);
    return { test: (text) => compiled.test(text) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

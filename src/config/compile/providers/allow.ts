import { compileGlob, literalOf } from './glob.ts';

type Allows = (name: string) => boolean;

const anything: Allows = () => true;

/** Characters: no model has a longer name. */
const longestName = 512;

/** Compiles a list of globs over model names; without a list everything is allowed. A star matches slashes too. */
export function compileGlobs(patterns: readonly string[] | undefined): Allows {
  if (patterns === undefined) return anything;
  const names = new Set(plainNames(patterns));
  const globs = patterns.filter((pattern) => !names.has(pattern)).map(compileGlob);
  // An empty name is no model: only a list that takes every name takes it.
  const takesAll = patterns.some((pattern) => /^\*+$/.test(pattern));
  return (name) => {
    if (names.has(name)) return true;
    return name === '' ? takesAll : name.length <= longestName && globs.some((matches) => matches(name));
  };
}

/** Those entries of a list of globs that name one model each. */
export function plainNames(patterns: readonly string[] = []): readonly string[] {
  return Object.freeze(patterns.filter((pattern) => literalOf(pattern) !== undefined));
}

/** Compiles a list of names; without a list everything is allowed. */
export function compileNames(names: readonly string[] | undefined): Allows {
  if (names === undefined) return anything;
  const known = new Set(names.map((name) => (name.startsWith('@') ? name.slice(1) : name)));
  return (name) => known.has(name);
}

/** Compiles `allow_custom_host`: `host`, `*.suffix`, each with or without `:port`. Without a list nothing is allowed. */
export function compileHosts(patterns: readonly string[] | undefined): Allows {
  const tests = (patterns ?? []).map((pattern) => compileHost(pattern.toLowerCase()));
  return (host) => {
    const lower = host.toLowerCase();
    return tests.some((test) => test(lower));
  };
}

function compileHost(pattern: string): Allows {
  const withPort = /:\d+$/.test(pattern);
  const suffix = pattern.startsWith('*.') ? pattern.slice(1) : undefined;
  return (asWritten) => {
    const host = withPort ? asWritten : asWritten.replace(/:\d+$/, '');
    return suffix === undefined ? host === pattern : host.endsWith(suffix) && host.length > suffix.length;
  };
}

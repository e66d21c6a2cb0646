import picomatch from 'picomatch';

type Allows = (name: string) => boolean;

const anything: Allows = () => true;

/** Characters: no model has a longer name, and the work of a glob with several stars grows faster than the name. */
const longestName = 512;

/** Compiles a list of globs over model names; without a list everything is allowed. A star matches slashes too. */
export function compileGlobs(patterns: readonly string[] | undefined): Allows {
  if (patterns === undefined) return anything;
  if (patterns.length === 0) return () => false;
  // A leading "!" in a list joined by OR would allow nearly everything: it is an ordinary character here.
  const matches = picomatch([...patterns], { bash: true, dot: true, nonegate: true, noextglob: true });
  return (name) => name.length <= longestName && matches(name);
}

/** Those entries of a list of globs that name one model each. */
export function plainNames(patterns: readonly string[] = []): readonly string[] {
  return Object.freeze(patterns.filter((pattern) => !/[*?[\]{}()\\]/.test(pattern)));
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
    const asked = host.toLowerCase();
    return tests.some((test) => test(asked));
  };
}

function compileHost(pattern: string): Allows {
  const withPort = /:\d+$/.test(pattern);
  const suffix = pattern.startsWith('*.') ? pattern.slice(1) : undefined;
  return (asked) => {
    const host = withPort ? asked : asked.replace(/:\d+$/, '');
    return suffix === undefined ? host === pattern : host.endsWith(suffix) && host.length > suffix.length;
  };
}

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

type AllowsUrl = (url: URL) => boolean;

/** Compiles `allow_custom_host`: `host`, `*.suffix`, each with or without `:port`. Without a list nothing is allowed. */
export function compileHosts(patterns: readonly string[] | undefined): AllowsUrl {
  const tests = (patterns ?? []).map((pattern) => compileHost(pattern.toLowerCase()));
  return (url) => tests.some((test) => test(url));
}

function compileHost(pattern: string): AllowsUrl {
  const [name = '', port] = pattern.split(':');
  const suffix = name.startsWith('*.') ? name.slice(1) : undefined;
  return (url) => {
    if (port !== undefined && Number(port) !== portOf(url)) return false;
    const { hostname } = url;
    return suffix === undefined ? hostname === name : hostname.endsWith(suffix) && hostname.length > suffix.length;
  };
}

/** A URL drops the port that its scheme has anyway. */
const portOf = ({ port, protocol }: URL): number => (port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port));

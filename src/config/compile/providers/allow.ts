import { compileGlob, literalOf } from './glob.ts';

type Allows = (name: string) => boolean;

const allowAll: Allows = () => true;

/** In characters. No model name is longer. */
const longestName = 512;

/** Compiles a list of globs for model names. Without a list every name is allowed. `*` also matches slashes. */
export function compileGlobs(patterns: readonly string[] | undefined): Allows {
  if (patterns === undefined) return allowAll;
  const names = new Set(plainNames(patterns));
  const globs = patterns.filter((pattern) => !names.has(pattern)).map(compileGlob);
  // The empty name is not a model: only a pattern that matches every name matches it.
  const matchesAll = patterns.some((pattern) => /^\*+$/.test(pattern));
  return (name) => {
    if (names.has(name)) return true;
    return name === '' ? matchesAll : name.length <= longestName && globs.some((matches) => matches(name));
  };
}

/** Entries of a glob list that name exactly one model. */
export function plainNames(patterns: readonly string[] = []): readonly string[] {
  return Object.freeze(patterns.filter((pattern) => literalOf(pattern) !== undefined));
}

/** Compiles a list of names. Without a list every name is allowed. */
export function compileNames(names: readonly string[] | undefined): Allows {
  if (names === undefined) return allowAll;
  const known = new Set(names.map((name) => (name.startsWith('@') ? name.slice(1) : name)));
  return (name) => known.has(name);
}

type AllowsUrl = (url: URL) => boolean;

/** Compiles `allow_custom_host`: `host` or `*.suffix`, each with or without `:port`. Without a list no host is allowed. */
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

/** Port of a URL, including the default port of the scheme, which the URL parser removes. */
const portOf = ({ port, protocol }: URL): number => (port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port));

import { GatewayError } from '../../core/error.ts';
import { parseExact } from '../../core/json/scan.ts';
import { BoundedCache } from '../../core/memory/bounded-cache.ts';
import { isExactNumber, isObject, isPlain } from '../../core/json/merge.ts';
import type { ApiKey, CompiledConfig, Snapshot } from '../../core/snapshot.ts';
import type { Choosing } from './targets/choose.ts';
import { invalid } from './invalid.ts';
import { canonicalKey } from '../read/spelling.ts';
import { canonicalConfig } from './settings-spelling.ts';
import { TreeBudget } from './targets/budget.ts';
import { compileTree } from './targets/tree.ts';
import { type RegexCompiler, RequestRegexes } from '../validate/regex.ts';
import { targetSchemas } from '../schema/join.ts';
import { knownName } from '../validate/known-names.ts';
import { checkShape } from '../validate/shape.ts';

/** Largest config in a request, in bytes. */
const mostBytes = 32 * 1024;

/** Deepest nesting of objects and lists. */
const mostLevels = 100;

/** Memory for all compiled configs together, and an estimate for one of them, in bytes. */
const keptBytes = 64 * 1024 * 1024;
const bytesOf = (text: string, { patterns, copies }: Inline): number => 4096 + 20 * text.length + 100 * copies + patterns * 8 * 1024 * 1024;

/** A compiled config with the number of its regular expressions, and of the parameters that its targets copy. */
interface Inline {
  readonly config: CompiledConfig;
  readonly patterns: number;
  readonly copies: number;
}

/** Compiles configs sent with requests as JSON text. The same text returns the same object while it is cached. */
export function createInline(choosing: Choosing): Snapshot['inlineConfig'] {
  const kept = new BoundedCache<Inline>(keptBytes);
  const schemas = targetSchemas([...new Set(choosing.types.values())]);
  return (text, key) => {
    const known = kept.get(text);
    if (known !== undefined) {
      if (known.patterns > 0) checkRegex(key);
      return known.config;
    }
    const made = compileInline(text, schemas, choosing, key);
    kept.set(text, made, bytesOf(text, made));
    return made.config;
  };
}

/** @throws GatewayError `invalid_config`, `provider_not_found`, `not_allowed` */
function compileInline(text: string, schemas: ReturnType<typeof targetSchemas>, choosing: Choosing, key: ApiKey | undefined): Inline {
  if (Buffer.byteLength(text) > mostBytes) throw invalid('it is larger than 32 KB', 'Store it as a named config in gateway.yaml.');
  const value = parse(text);
  if (!isPlain(value)) throw invalid('it is not a JSON object');
  inspect(value, 1);
  const config = canonicalConfig(value);
  const problem = checkShape(config, schemas.config, schemas);
  if (problem !== undefined) {
    const { path, message, hint = adviceOn(path) } = problem;
    throw invalid(path === '' ? message : `${path}: ${message}`, hint, path);
  }
  const regexes = new RequestRegexes();
  const regex: RegexCompiler = (pattern) => {
    checkRegex(key);
    return regexes.compile(pattern);
  };
  const budget = new TreeBudget();
  const compiled = compileTree('inline', config, { ...choosing, root: 'inline', text, named: () => undefined, regex, budget });
  return { config: compiled, patterns: regexes.count, copies: budget.copies };
}

/** Hint for a key that other gateways use, at its location in a config. */
function adviceOn(path: string): string | undefined {
  const parts = path.split(/[.[\]]+/);
  return knownName(['configs', 'inline', ...parts.slice(0, -1)], parts.at(-1) ?? '')?.hint;
}

/** The author of a pattern controls its cost. Without API keys, everyone who reaches the gateway has all permissions. */
function checkRegex(key: ApiKey | undefined): void {
  if (key?.allowsRegex !== false) return;
  throw new GatewayError('not_allowed', {
    message: `Key "${key.name}" may not send configs that use "$regex".`,
    param: 'strategy.conditions',
    hint: 'Use $eq or $in, name a config of gateway.yaml, or set allow.regex of the key to true.',
  });
}

function parse(text: string): unknown {
  try {
    return readable(parseExact(text));
  } catch (error) {
    throw invalid(
      `it is neither a name nor JSON: ${reasonIn((error as Error).message)}`,
      'Send the name of a config under "configs" in gateway.yaml, or a JSON object such as {"targets":[{"provider":"@slug"}]}.',
    );
  }
}

/** The parser quotes the text around the error, which may be a credential. */
const reasonIn = (message: string): string =>
  message
    .replace(/^The body is not JSON: /, '')
    .replace(/, (?:\.\.\.)?".*$/s, '')
    .replace(/\.$/, '');

/** Numbers keep their digits where they are sent on, and are numbers where the gateway reads them. */
function readable(value: unknown): unknown {
  if (isExactNumber(value)) return Number(JSON.stringify(value));
  if (Array.isArray(value)) return value.map(readable);
  if (!isPlain(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      canonicalKey(key) === 'override_params' && isObject(member) ? member : readable(member),
    ]),
  );
}

/**
 * References belong to the operator. In a request they are not resolved, and text that looks like one is rejected as a
 * mistake. Nesting is bounded, so that no request can exhaust the stack.
 */
function inspect(value: unknown, depth: number): void {
  if (depth > mostLevels) throw invalid(`it is nested more than ${mostLevels} levels deep`);
  if (typeof value === 'string') {
    if (/\$\{(env|file):/.test(value)) {
      throw invalid(
        'the gateway does not resolve references such as ${env:NAME} and ${file:/path} in a request',
        'Write the value itself.',
      );
    }
  } else if (Array.isArray(value)) for (const item of value) inspect(item, depth + 1);
  else if (isPlain(value)) for (const member of Object.values(value)) inspect(member, depth + 1);
}

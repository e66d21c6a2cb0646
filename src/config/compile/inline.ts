import { GatewayError } from '../../core/error.ts';
import { parseExact } from '../../core/json/scan.ts';
import { BoundedCache } from '../../core/memory/bounded-cache.ts';
import { isExactNumber, isObject, isJsonObject } from '../../core/json/merge.ts';
import { checkPromptAllowed } from '../../core/model/usable-names.ts';
import type { ApiKey, CompiledConfig, Snapshot } from '../../core/snapshot.ts';
import { withoutFullStop } from '../../core/text/wording.ts';
import type { BindingContext } from './targets/choose-binding.ts';
import { invalidConfig } from './invalid.ts';
import { canonicalKey } from '../read/key-aliases.ts';
import { canonicalConfig } from './canonical-config.ts';
import { TreeBudget } from './targets/budget.ts';
import { compileTree } from './targets/tree.ts';
import { type RegexCompiler, RequestRegexes } from '../validate/regex.ts';
import { targetSchemas } from '../schema/join.ts';
import { knownName } from '../validate/known-names.ts';
import { checkShape } from '../validate/shape.ts';

/** Largest config in a request, in bytes. */
const maxBytes = 32 * 1024;

/** Deepest nesting of objects and lists. */
const maxLevels = 100;

/** Memory for all compiled configs together, and an estimate for one of them, in bytes. */
const cacheBytes = 64 * 1024 * 1024;
const estimatedBytes = (text: string, { patterns, copies }: CachedConfig): number =>
  4096 + 20 * text.length + 100 * copies + patterns * 8 * 1024 * 1024;

/** A compiled config with the number of its regular expressions, its prompts, and the number of parameters that its targets copy. */
interface CachedConfig {
  readonly config: CompiledConfig;
  readonly patterns: number;
  readonly prompts: ReadonlySet<string>;
  readonly copies: number;
}

/** Compiles configs sent with requests as JSON text. The same text returns the same object while it is cached. */
export function createInline(context: BindingContext): Snapshot['inlineConfig'] {
  const cache = new BoundedCache<CachedConfig>(cacheBytes);
  const schemas = targetSchemas([...new Set(context.types.values())]);
  return (text, key) => {
    const cached = cache.get(text);
    if (cached !== undefined) {
      if (cached.patterns > 0) checkRegexAllowed(key);
      for (const id of cached.prompts) checkPromptAllowed(key, id);
      return cached.config;
    }
    const compiled = compileInline(text, schemas, context, key);
    cache.set(text, compiled, estimatedBytes(text, compiled));
    return compiled.config;
  };
}

/** @throws GatewayError `invalid_config`, `provider_not_found`, `not_allowed` */
function compileInline(
  text: string,
  schemas: ReturnType<typeof targetSchemas>,
  context: BindingContext,
  key: ApiKey | undefined,
): CachedConfig {
  if (Buffer.byteLength(text) > maxBytes) throw invalidConfig('it is larger than 32 KB', 'Store it as a named config in gateway.yaml.');
  const value = parse(text);
  if (!isJsonObject(value)) throw invalidConfig('it is not a JSON object');
  checkValues(value, 1);
  const config = canonicalConfig(value);
  const problem = checkShape(config, schemas.config, schemas);
  if (problem !== undefined) {
    const { path, message, hint = hintFor(path) } = problem;
    throw invalidConfig(path === '' ? message : `${path}: ${message}`, hint, path);
  }
  const regexes = new RequestRegexes();
  const regex: RegexCompiler = (pattern) => {
    checkRegexAllowed(key);
    return regexes.compile(pattern);
  };
  const prompts = new Set<string>();
  const checkPrompt = (id: string): void => {
    checkPromptAllowed(key, id);
    prompts.add(id);
  };
  const budget = new TreeBudget();
  const source = { ...context, root: 'inline', text, namedConfig: () => undefined, regex, budget, checkPrompt };
  return { config: compileTree('inline', config, source), patterns: regexes.count, prompts, copies: budget.copies };
}

/** Hint for a key that other gateways use, at its location in a config. */
function hintFor(path: string): string | undefined {
  const parts = path.split(/[.[\]]+/);
  return knownName(['configs', 'inline', ...parts.slice(0, -1)], parts.at(-1) ?? '')?.hint;
}

/** The author of a pattern controls its cost. Without API keys, everyone who reaches the gateway has all permissions. */
function checkRegexAllowed(key: ApiKey | undefined): void {
  if (key?.allowsRegex !== false) return;
  throw new GatewayError('not_allowed', {
    message: `Key "${key.name}" may not send configs that use "$regex".`,
    param: 'strategy.conditions',
    hint: 'Use $eq or $in, name a config of gateway.yaml, or set allow.regex of the key to true.',
  });
}

function parse(text: string): unknown {
  try {
    return withPlainNumbers(parseExact(text));
  } catch (error) {
    throw invalidConfig(
      `it is neither a name nor JSON: ${reasonIn((error as Error).message)}`,
      'Send the name of a config under "configs" in gateway.yaml, or a JSON object such as {"targets":[{"provider":"@slug"}]}.',
    );
  }
}

/** The parser quotes the text around the error, which may be a credential. */
const reasonIn = (message: string): string =>
  withoutFullStop(message.replace(/^The body is not JSON: /, '').replace(/, (?:\.\.\.)?".*$/s, ''));

/** Numbers keep their digits where they are sent on, and are numbers where the gateway reads them. */
function withPlainNumbers(value: unknown): unknown {
  if (isExactNumber(value)) return Number(JSON.stringify(value));
  if (Array.isArray(value)) return value.map(withPlainNumbers);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      canonicalKey(key) === 'override_params' && isObject(member) ? member : withPlainNumbers(member),
    ]),
  );
}

/**
 * References belong to the operator. In a request they are not resolved, and text that looks like one is rejected as a
 * mistake. Nesting is bounded, so that no request can exhaust the stack.
 */
function checkValues(value: unknown, depth: number): void {
  if (depth > maxLevels) throw invalidConfig(`it is nested more than ${maxLevels} levels deep`);
  if (typeof value === 'string') {
    if (/\$\{(env|file):/.test(value)) {
      throw invalidConfig(
        'the gateway does not resolve references such as ${env:NAME} and ${file:/path} in a request',
        'Write the value itself.',
      );
    }
  } else if (Array.isArray(value)) for (const item of value) checkValues(item, depth + 1);
  else if (isJsonObject(value)) for (const member of Object.values(value)) checkValues(member, depth + 1);
}

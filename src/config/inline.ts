import { parseJson } from '../core/json-scan.ts';
import { isPlain } from '../core/merge.ts';
import type { CompiledConfig } from '../core/snapshot.ts';
import type { Choosing } from './compile/choose.ts';
import { invalid } from './compile/invalid.ts';
import { canonicalConfig } from './compile/spelling.ts';
import { compileTree } from './compile/tree.ts';
import { targetSchemas } from './schema/join.ts';
import { checkShape } from './shape.ts';

/** Bytes of a config that comes with a request. */
const mostBytes = 32 * 1024;

/** Levels of objects and lists. */
const mostLevels = 100;

/** Texts whose compiled form is kept. */
const mostKept = 256;

/** Compiles configs that come with a request as JSON text; the same text gives the same object while it is kept. */
export function createInline(choosing: Choosing): (text: string) => CompiledConfig {
  // A map keeps the order of insertion: the first key is the one that was not asked for longest.
  const kept = new Map<string, CompiledConfig>();
  const schemas = targetSchemas([...new Set(choosing.types.values())]);
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) {
      kept.delete(text);
      kept.set(text, known);
      return known;
    }
    const compiled = compileInline(text, schemas, choosing);
    kept.set(text, compiled);
    const oldest = kept.size > mostKept ? kept.keys().next().value : undefined;
    if (oldest !== undefined) kept.delete(oldest);
    return compiled;
  };
}

/** @throws GatewayError `invalid_config`, `provider_not_found`, `not_allowed` */
function compileInline(text: string, schemas: ReturnType<typeof targetSchemas>, choosing: Choosing): CompiledConfig {
  if (Buffer.byteLength(text) > mostBytes) throw invalid('it is larger than 32 KB', 'Store it as a named config in gateway.yaml.');
  const value = parse(text);
  if (!isPlain(value)) throw invalid('it is not a JSON object');
  inspect(value, 1);
  const config = canonicalConfig(value);
  const problem = checkShape(config, schemas.config, schemas);
  if (problem !== undefined) {
    throw invalid(problem.path === '' ? problem.message : `${problem.path}: ${problem.message}`, problem.hint, problem.path);
  }
  return compileTree('inline', config, { ...choosing, root: 'inline', named: () => undefined });
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw invalid(`it is neither a name nor JSON: ${(error as Error).message}`);
  }
}

/**
 * References belong to the operator: in a request they stay text, and text that looks like one is a mistake
 * (decisions D2). Nesting is bounded, so that no text of a caller can use up the stack.
 */
function inspect(value: unknown, depth: number): void {
  if (depth > mostLevels) throw invalid(`it is nested more than ${mostLevels} levels deep`);
  if (typeof value === 'string') {
    if (/\$\{(env|file):/.test(value)) {
      throw invalid('references such as ${env:NAME} and ${file:/path} are not resolved in a request', 'Write the value itself.');
    }
  } else if (Array.isArray(value)) for (const item of value) inspect(item, depth + 1);
  else if (isPlain(value)) for (const member of Object.values(value)) inspect(member, depth + 1);
}

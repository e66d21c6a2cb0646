import { isJsonObject } from '../../core/json/merge.ts';
import { nearest } from '../../core/text/nearest.ts';
import { shortList } from '../../core/text/wording.ts';
import { millisecondsForm } from '../schema/shared.ts';
import { diagnosticCodes, type DiagnosticCode } from '../report/diagnostic.ts';
import { actualOf, exampleLine, expectedOf, joinList, shorten, subjectOf } from './describe.ts';
import { knownName } from './known-names.ts';
import { valueHint } from './value-hints.ts';
import { formatPath, keyLocation, type Node, nodeAt, type Path } from '../read/node.ts';
import type { Problem } from '../report/problem.ts';

/** One error of a schema, independent of the validator. */
export interface SchemaError {
  readonly keyword: string;
  readonly path: Path;
  readonly params: Readonly<Record<string, unknown>>;
  /** The keyword's value, and the schema that contains it. */
  readonly limit: unknown;
  readonly schema: unknown;
  readonly message: string;
}

interface LocatedProblem {
  readonly problem: Problem;
  readonly at: Path;
}

/** Converts schema errors to problems with locations: the key for a bad key, the value for a bad value. */
export function toProblems(faults: readonly SchemaError[], root: Node, base: Path): LocatedProblem[] {
  const meant = new Set(faults.filter(isUnknown).map((fault) => `${pathKey(fault)}\n${meantKey(fault) ?? ''}`));
  const isExplained = (fault: SchemaError): boolean => meant.has(`${pathKey(fault)}\n${String(fault.params['missingProperty'])}`);
  const missing = Map.groupBy(
    faults.filter((fault) => isMissing(fault) && !isExplained(fault)),
    pathKey,
  );
  const found = faults.flatMap((fault) => {
    const together = isMissing(fault) ? (missing.get(pathKey(fault)) ?? []) : [];
    // All missing keys of a mapping are reported together, so that they can be added at once.
    return isMissing(fault) ? (together[0] === fault ? [missingKeys(together, root)] : []) : translateOne(fault, root, base);
  });
  // One message per cause: a string of the wrong form may break several rules at once.
  const seen = new Set<string>();
  return found.filter(({ problem, at }) => {
    const key = `${at.join('\n')}|${problem.at.line}:${problem.at.column}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

const isMissing = ({ keyword }: SchemaError): boolean => keyword === 'required' || keyword === 'dependentRequired';
const isUnknown = ({ keyword }: SchemaError): boolean => keyword === 'additionalProperties' || keyword === 'unevaluatedProperties';
const unknownName = ({ params }: SchemaError): string => String(params['additionalProperty'] ?? params['unevaluatedProperty']);
const pathKey = ({ path }: SchemaError): string => path.join('\n');

/** The key that was probably meant by an unknown one. If that key is missing, both errors are the same mistake. */
const meantKey = (fault: SchemaError): string | undefined =>
  /^write (\w+)$/.exec(knownName(fault.path, unknownName(fault))?.hint ?? '')?.[1] ??
  nearest(unknownName(fault), allowedKeys(fault.schema));

const allowedKeys = (schema: unknown): string[] =>
  isJsonObject(schema) && isJsonObject(schema['properties']) ? Object.keys(schema['properties']) : [];

function translateOne(fault: SchemaError, root: Node, base: Path): LocatedProblem[] {
  const { path } = fault;
  switch (fault.keyword) {
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return unknownKey(fault, root, unknownName(fault));
    case 'propertyNames':
      return [badName(fault, root, String(fault.params['propertyName']))];
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
    case 'minItems':
    case 'maxItems':
    case 'minLength':
    case 'maxLength':
    case 'x-range':
      return [{ problem: outOfRange(fault, root), at: path }];
    case 'uniqueItems':
      return [{ problem: duplicateItem(fault, root), at: path }];
    case 'not':
      return [
        {
          problem: {
            code: 'conflict',
            at: keyLocation(root, path),
            message: `${subjectOf(path)} has keys that exclude each other`,
            hint: 'remove one',
          },
          at: path,
        },
      ];
    default:
      return [{ problem: wrongValue(fault, root, base), at: path }];
  }
}

function unknownKey({ path, schema }: SchemaError, root: Node, key: string): LocatedProblem[] {
  const at = keyLocation(root, [...path, key]);
  const allowed = allowedKeys(schema);
  const known = knownName(path, key);
  const written = writtenName(root, path, key);
  if (known !== undefined) {
    const message = known.code === 'not-supported' ? `"${written}" is not supported by this version` : `unknown key "${written}"`;
    return [{ problem: { code: known.code, severity: known.severity, at, message, hint: known.hint }, at: [...path, key] }];
  }
  const meant = nearest(key, allowed);
  const where = path.length === 0 ? 'the file' : formatPath(path);
  const problem: Problem = {
    code: 'unknown-key',
    at,
    message: `unknown key "${shorten(written)}"`,
    hint: meant === undefined ? `allowed: ${shortList(allowed, maxShownKeys) || 'no keys'}` : `did you mean "${meant}"?`,
    note: meant === undefined ? undefined : `${where} accepts: ${shortList(allowed, 6)}`,
    docs: docsOf(path),
    show: 'above',
  };
  return [{ problem, at: [...path, key] }];
}

/** A target accepts more than a hundred keys, most of them settings of one provider type: the page lists them all. */
const maxShownKeys = 25;

const page = 'docs/configuration.md';
const sections: ReadonlySet<unknown> = new Set([
  'server',
  'logging',
  'observability',
  'providers',
  'virtual_keys',
  'api_keys',
  'auth',
  'configs',
  'prompts',
]);

/** Page and section of the documentation about this part of the file. */
function docsOf(path: Path): string {
  return `${page}#${sections.has(path[0]) ? String(path[0]) : 'top-level'}`;
}

function writtenName(root: Node, path: Path, key: string): string {
  const parent = nodeAt(root, path);
  return (parent?.kind === 'map' ? parent.entries.get(key)?.written : undefined) ?? key;
}

/** One problem for all keys missing in one mapping. */
function missingKeys(faults: readonly SchemaError[], root: Node): LocatedProblem {
  const path = faults[0]?.path ?? [];
  const where = path.length === 0 ? '' : ` in ${formatPath(path)}`;
  const keys = new Map(
    faults.map(({ params, schema }) => {
      const key = String(params['missingProperty']);
      return [key, isJsonObject(schema) && isJsonObject(schema['properties']) ? schema['properties'][key] : undefined];
    }),
  );
  const names = [...keys.keys()].map((key) => `"${key}"`);
  const written = nodeAt(root, path);
  const entryWithoutSpace =
    written?.kind === 'map' && [...written.entries.values()].find(({ key, value }) => lacksSpaceAfterColon(key, value, keys));
  const problem: Problem = {
    code: 'missing-key',
    at: keyLocation(root, path),
    message: `${joinList(names, 'and')} ${names.length === 1 ? 'is' : 'are'} missing${where}`,
    hint: entryWithoutSpace
      ? `a space must follow the colon: ${entryWithoutSpace.key.replace(':', ': ')}`
      : (misspellingHint(written, faults) ?? `add ${[...keys].map(([key, schema]) => exampleLine(key, schema)).join(', ')}`),
  };
  return { problem, at: path };
}

/** Hint for a misspelled key in a mapping that allows other keys, where it is not reported as unknown. */
function misspellingHint(written: Node | undefined, faults: readonly SchemaError[]): string | undefined {
  const known = allowedKeys(faults[0]?.schema);
  const names = faults.map(({ params }) => String(params['missingProperty']));
  for (const key of written?.kind === 'map' ? written.entries.keys() : []) {
    const meant = known.includes(key) ? undefined : nearest(key, names);
    if (meant !== undefined) return `write ${meant} in place of ${shorten(key)}`;
  }
  return undefined;
}

/** True for `{type:mock}`, which YAML reads as a key without a value. */
const lacksSpaceAfterColon = (key: string, value: Node, missing: ReadonlyMap<string, unknown>): boolean =>
  value.kind === 'scalar' && value.value === null && /^[\w-]+:[\w.@-]+$/.test(key) && missing.has(key.slice(0, key.indexOf(':')));

function badName({ path, schema, limit }: SchemaError, root: Node, key: string): LocatedProblem {
  const names = isJsonObject(limit) ? limit : isJsonObject(schema) ? schema['propertyNames'] : undefined;
  const lower = key
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 63);
  const problem: Problem = {
    code: 'bad-name',
    at: keyLocation(root, [...path, key]),
    message: `"${shorten(key)}" cannot be a name in ${formatPath(path)}`,
    hint: `${lower !== '' && lower !== key ? `write "${lower}": ` : ''}a name is ${expectedOf(names)}`,
  };
  return { problem, at: [...path, key] };
}

function duplicateItem({ path, params }: SchemaError, root: Node): Problem {
  const items = [params['i'], params['j']].map(Number);
  const at = nodeAt(root, [...path, Math.max(...items)])?.at ?? keyLocation(root, path);
  return { code: 'conflict', at, message: `${subjectOf(path)} has the same item twice`, hint: 'remove one' };
}

function outOfRange({ keyword, path, schema, params, limit }: SchemaError, root: Node): Problem {
  const node = nodeAt(root, path);
  const at = node?.at ?? keyLocation(root, path);
  const rules = isJsonObject(schema) ? schema : {};
  if (keyword === 'minLength' || keyword === 'minItems') {
    if (params['limit'] === 1)
      return {
        code: 'out-of-range',
        at,
        message: `${subjectOf(path)} is empty`,
        hint: typeof path.at(-1) === 'number' ? 'remove the item, or write its value' : `write ${exampleLine(String(path.at(-1)), schema)}`,
      };
    return { code: 'out-of-range', at, message: `${subjectOf(path)} is too short`, hint: `use at least ${lengthText(params, keyword)}` };
  }
  if (keyword === 'maxLength' || keyword === 'maxItems') {
    return {
      code: 'out-of-range',
      at,
      message: `${subjectOf(path)} is too long`,
      hint: `use at most ${lengthText(params, keyword)}`,
    };
  }
  const [least, most] =
    keyword === 'x-range' && Array.isArray(limit)
      ? limit
      : [rules['minimum'] ?? rules['exclusiveMinimum'], rules['maximum'] ?? rules['exclusiveMaximum']];
  const range =
    most === undefined
      ? `at least ${String(least)}`
      : least === undefined
        ? `at most ${String(most)}`
        : `${String(least)} to ${String(most)}`;
  const unit = rules['x-form'] === millisecondsForm && keyword !== 'x-range' ? ' milliseconds' : '';
  const shown = actualOf(node, path).replace(/^the (number|string) /, '');
  return { code: 'out-of-range', at, message: `${subjectOf(path)} is ${shown}`, hint: `allowed: ${range}${unit}` };
}

const lengthText = ({ limit }: SchemaError['params'], keyword: string): string =>
  `${String(limit)} ${keyword.endsWith('Length') ? 'characters' : 'entries'}`;

/** Problem for a value of the wrong type or form, with a hint for what was probably meant. */
function wrongValue(fault: SchemaError, root: Node, base: Path): Problem {
  const { path, schema } = fault;
  const node = nodeAt(root, path);
  const at = node?.at ?? keyLocation(root, path.length > base.length ? path : base);
  const rules = isJsonObject(schema) ? schema : {};
  const schemaCode = rules['x-code'];
  const code: DiagnosticCode =
    typeof schemaCode === 'string' && Object.hasOwn(diagnosticCodes, schemaCode) ? (schemaCode as DiagnosticCode) : 'wrong-type';
  const isEmpty = node?.kind === 'scalar' && node.value === null;
  const message = isEmpty
    ? `${subjectOf(path)} has no value`
    : `${subjectOf(path)} must be ${expectedOf(schema)}, not ${actualOf(node, path)}`;
  if (code === 'bad-key-hash') return badHash(node, at);
  return { code, at, message, ...valueHint(node, rules, path) };
}

/** Problem for a bad hash. The value may be the key itself, so it is never shown. */
function badHash(node: Node | undefined, at: Problem['at']): Problem {
  const text = node?.kind === 'scalar' ? String(node.value) : '';
  const hint = 'write sha256: and 64 hex digits; to compute it: echo -n "$KEY" | sha256sum';
  if (/^gw_|^sk-/.test(text))
    return {
      code: 'bad-key-hash',
      at,
      message: '"hash" contains a key instead of its hash; the value is not shown here',
      hint,
      show: 'none',
    };
  const digits = /^(sha256:)?([0-9a-fA-F]*)$/.exec(text);
  const form =
    digits === null
      ? 'is not a hash'
      : digits[1] === undefined
        ? 'does not begin with sha256:'
        : `has ${digits[2]?.length ?? 0} hex digits, not 64`;
  return { code: 'bad-key-hash', at, message: `"hash" ${form}; the value is not shown here`, hint, show: 'none' };
}

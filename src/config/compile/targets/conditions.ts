import { GatewayError } from '../../../core/error.ts';
import { isJsonObject } from '../../../core/json/merge.ts';
import type { QueryFacts } from '../../../core/snapshot.ts';
import { truncate } from './condition-text.ts';
import { shorten } from '../../validate/describe.ts';
import { compileRegex, type RegexCompiler } from '../../validate/regex.ts';

/** A compiled `query` of conditional routing. Pure. */
export type Condition = (facts: QueryFacts) => boolean;

type QueryValue = string | number | boolean | null;

/** Reads the value that a query key names; undefined when the request has none. */
type ReadFact = (facts: QueryFacts) => QueryValue | undefined;

type ValueTest = (value: QueryValue | undefined) => boolean;

/**
 * Compiles a query over `metadata.*`, `params.*` and `url.pathname`. Several keys and several operators are joined by
 * AND, including `$and` and `$or` next to other keys. If a key is missing in the request, every operator is false except
 * `$ne` and `$nin`.
 *
 * @throws GatewayError `invalid_config` for an unknown key, operator or operand
 */
export function compileQuery(query: unknown, regex: RegexCompiler = compileRegex): Condition {
  if (!isJsonObject(query)) throw invalidQuery('a query must be an object');
  const parts = Object.entries(query).map(([key, operand]) => compileMember(key, operand, regex));
  return allOf(parts);
}

/** Model names that a query compares with the model of a request, for lists of the models that a config accepts. */
export function modelsIn(query: unknown): readonly string[] {
  if (Array.isArray(query)) return query.flatMap(modelsIn);
  if (!isJsonObject(query)) return [];
  return Object.entries(query).flatMap(([key, operand]) => {
    if (key === '$and' || key === '$or') return modelsIn(operand);
    if (key !== 'params.model') return [];
    const { $eq: one, $in: several } = isJsonObject(operand) ? operand : { $eq: operand };
    return [one, ...(Array.isArray(several) ? (several as readonly unknown[]) : [])].filter((name) => typeof name === 'string');
  });
}

function compileMember(key: string, operand: unknown, regex: RegexCompiler): Condition {
  if (key === '$and' || key === '$or') {
    if (!Array.isArray(operand) || operand.length === 0) throw invalidQuery(`"${key}" needs a list of queries`);
    const parts = operand.map((each) => compileQuery(each, regex));
    return key === '$and' ? allOf(parts) : (facts) => parts.some((part) => part(facts));
  }
  const read = compileKey(key);
  const test = compileTest(shorten(key), operand, regex);
  return (facts) => test(read(facts));
}

function allOf(parts: readonly Condition[]): Condition {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  return (facts) => parts.every((part) => part(facts));
}

function compileKey(key: string): ReadFact {
  const dot = key.indexOf('.');
  const name = key.slice(dot + 1);
  if (dot > 0 && name !== '' && !name.includes('.')) {
    const root = key.slice(0, dot);
    if (root === 'metadata') return (facts) => (Object.hasOwn(facts.metadata, name) ? facts.metadata[name] : undefined);
    if (root === 'params') return (facts) => scalarOf(facts.params(name));
    if (key === 'url.pathname') return (facts) => facts.pathname;
  }
  throw invalidQuery(`a query cannot read "${shorten(key)}"`, 'Use metadata.<key>, params.<body field> or url.pathname.');
}

function scalarOf(value: unknown): QueryValue | undefined {
  return isScalar(value) ? value : undefined;
}

function isScalar(value: unknown): value is QueryValue {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function compileTest(key: string, operand: unknown, regex: RegexCompiler): ValueTest {
  if (isScalar(operand)) return (value) => value === operand;
  if (!isJsonObject(operand)) throw invalidQuery(`"${key}" needs a value or an object of operators`);
  const tests = Object.entries(operand).map(([name, argument]) => {
    const compile = Object.hasOwn(operators, name) ? operators[name] : undefined;
    if (compile === undefined)
      throw invalidQuery(`"${shorten(name)}" is not an operator`, `"${key}" accepts ${Object.keys(operators).join(', ')}.`);
    return compile(argument, name, regex);
  });
  if (tests.length === 0) throw invalidQuery(`"${key}" names no operator`);
  return (value) => tests.every((test) => test(value));
}

/** Names of the operators, for checks and messages. */
export const operatorNames = (): readonly string[] => Object.keys(operators);

const operators: Readonly<Record<string, (argument: unknown, name: string, regex: RegexCompiler) => ValueTest>> = {
  $eq: (argument, name) => {
    const wanted = needScalar(argument, name);
    return (value) => value === wanted;
  },
  $ne: (argument, name) => {
    const unwanted = needScalar(argument, name);
    return (value) => value !== unwanted;
  },
  $in: (argument, name) => {
    const wanted = needList(argument, name);
    return (value) => value !== undefined && wanted.has(value);
  },
  $nin: (argument, name) => {
    const unwanted = needList(argument, name);
    return (value) => value === undefined || !unwanted.has(value);
  },
  $gt: (argument, name) => compare(argument, name, (value, limit) => value > limit),
  $gte: (argument, name) => compare(argument, name, (value, limit) => value >= limit),
  $lt: (argument, name) => compare(argument, name, (value, limit) => value < limit),
  $lte: (argument, name) => compare(argument, name, (value, limit) => value <= limit),
  $regex: (argument, name, compile) => {
    if (typeof argument !== 'string') throw invalidQuery(`"${name}" needs a pattern in quotes`);
    const regex = compile(argument);
    if ('error' in regex) throw invalidQuery(`the pattern "${shorten(argument)}" cannot be used: ${truncate(regex.error, 200)}`);
    return (value) => value !== undefined && value !== null && regex.test(String(value));
  },
};

/** Parses both sides as floats: the text "10" is greater than the number 9. A value that is not a number matches nothing. */
function compare(argument: unknown, name: string, holds: (value: number, limit: number) => boolean): ValueTest {
  const limit = toFloat(needScalar(argument, name));
  if (Number.isNaN(limit)) throw invalidQuery(`"${name}" needs a number`);
  return (value) => value !== undefined && holds(toFloat(value), limit);
}

/** Longest text that is parsed as a number, in characters. The rest is ignored. */
const longestNumber = 400;

function toFloat(value: QueryValue): number {
  return typeof value === 'number' ? value : Number.parseFloat(String(value).slice(0, longestNumber));
}

function needScalar(argument: unknown, name: string): QueryValue {
  if (!isScalar(argument)) throw invalidQuery(`"${name}" needs a string, a number, true, false or null`);
  return argument;
}

function needList(argument: unknown, name: string): ReadonlySet<QueryValue> {
  if (!Array.isArray(argument)) throw invalidQuery(`"${name}" needs a list of values`);
  return new Set(argument.map((entry) => needScalar(entry, name)));
}

function invalidQuery(what: string, hint?: string): GatewayError {
  return new GatewayError('invalid_config', { message: `The config is not valid: ${what}.`, param: 'strategy.conditions', hint });
}

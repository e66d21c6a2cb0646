import { compileQuery } from '../../config/compile/targets/conditions.ts';
import { conditionText, truncate, type MaskText, valueText, operatorSymbols } from '../../config/compile/targets/condition-text.ts';
import { isJsonObject } from '../../core/json/merge.ts';
import type { QueryFacts } from '../../core/snapshot.ts';

/** A condition in readable form, with its result. */
export interface ConditionResult {
  /** For example `metadata.plan = "paid"`. */
  readonly text: string;
  readonly matched: boolean;
  /** Values that decided, such as `metadata.plan is "free"`. */
  readonly why: string;
}

/** Longest reason in characters. */
const maxReasonLength = 300;

/**
 * Evaluates a query of conditional routing with the code of real traffic, and explains the result.
 * @throws GatewayError as `compileQuery`
 */
export function describeCondition(query: unknown, facts: QueryFacts, hide: MaskText): ConditionResult {
  const matched = compileQuery(query)(facts);
  return {
    text: conditionText(query, hide),
    matched,
    why: truncate(reasonsOf(query, matched, facts, hide).join(', '), maxReasonLength, hide),
  };
}

/** Comparisons that made a query true or false, with the values compared. */
function reasonsOf(query: unknown, wanted: boolean, facts: QueryFacts, hide: MaskText): string[] {
  if (!isJsonObject(query)) return [];
  return Object.entries(query).flatMap(([key, operand]): string[] => {
    if (compileQuery({ [key]: operand })(facts) !== wanted) return [];
    if ((key === '$and' || key === '$or') && Array.isArray(operand)) {
      const inner = operand.filter((each) => compileQuery(each)(facts) === wanted);
      return inner.flatMap((each) => reasonsOf(each, wanted, facts, hide));
    }
    const value = valueOf(key, facts);
    const seen = value === undefined ? `${key} is not set` : `${key} is ${valueText(value, hide)}`;
    if (wanted) return [seen];
    const tests: readonly (readonly [string, unknown])[] = isJsonObject(operand) ? Object.entries(operand) : [['$eq', operand]];
    const failed = tests.filter(([name, argument]) => !compileQuery({ [key]: { [name]: argument } })(facts));
    return [
      `${seen}, not ${failed.map(([name, argument]) => `${name === '$eq' ? '' : `${operatorSymbols[name] ?? name} `}${valueText(argument, hide)}`).join(' and ')}`,
    ];
  });
}

function valueOf(key: string, facts: QueryFacts): unknown {
  const name = key.slice(key.indexOf('.') + 1);
  if (key.startsWith('metadata.')) return Object.hasOwn(facts.metadata, name) ? facts.metadata[name] : undefined;
  if (key.startsWith('params.')) return facts.params(name);
  return facts.pathname;
}

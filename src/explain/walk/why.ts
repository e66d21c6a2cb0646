import { compileQuery } from '../../config/compile/targets/conditions.ts';
import { conditionText, cut, type Hide, shown, signs } from '../../config/compile/targets/condition-text.ts';
import { isPlain } from '../../core/json/merge.ts';
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
const most = 300;

/**
 * Evaluates a query of conditional routing with the code of real traffic, and explains the result.
 * @throws GatewayError as `compileQuery`
 */
export function describeCondition(query: unknown, facts: QueryFacts, hide: Hide): ConditionResult {
  const matched = compileQuery(query)(facts);
  return { text: conditionText(query, hide), matched, why: cut(reasonsOf(query, matched, facts, hide).join(', '), most, hide) };
}

/** Comparisons that made a query true or false, with the values compared. */
function reasonsOf(query: unknown, wanted: boolean, facts: QueryFacts, hide: Hide): string[] {
  if (!isPlain(query)) return [];
  return Object.entries(query).flatMap(([key, operand]): string[] => {
    if (compileQuery({ [key]: operand })(facts) !== wanted) return [];
    if ((key === '$and' || key === '$or') && Array.isArray(operand)) {
      const inner = operand.filter((each) => compileQuery(each)(facts) === wanted);
      return inner.flatMap((each) => reasonsOf(each, wanted, facts, hide));
    }
    const value = valueOf(key, facts);
    const seen = value === undefined ? `${key} is not set` : `${key} is ${shown(value, hide)}`;
    if (wanted) return [seen];
    const tests: readonly (readonly [string, unknown])[] = isPlain(operand) ? Object.entries(operand) : [['$eq', operand]];
    const failed = tests.filter(([name, argument]) => !compileQuery({ [key]: { [name]: argument } })(facts));
    return [
      `${seen}, not ${failed.map(([name, argument]) => `${name === '$eq' ? '' : `${signs[name] ?? name} `}${shown(argument, hide)}`).join(' and ')}`,
    ];
  });
}

function valueOf(key: string, facts: QueryFacts): unknown {
  const name = key.slice(key.indexOf('.') + 1);
  if (key.startsWith('metadata.')) return Object.hasOwn(facts.metadata, name) ? facts.metadata[name] : undefined;
  if (key.startsWith('params.')) return facts.params(name);
  return facts.pathname;
}

import { isPlain } from '../../../core/json/merge.ts';

/** Longest text of a condition, and of a value in it, in characters. */
const most = { text: 200, value: 60 } as const;

/** Operators in readable form. */
export const signs: Readonly<Record<string, string>> = {
  $eq: '=',
  $ne: '≠',
  $gt: '>',
  $gte: '≥',
  $lt: '<',
  $lte: '≤',
  $in: 'in',
  $nin: 'not in',
  $regex: 'matches',
};

/** A query of conditional routing on one line: `metadata.plan = "paid"`. */
export const conditionText = (query: unknown): string => cut(textOf(query), most.text);

function textOf(query: unknown): string {
  if (!isPlain(query)) return 'nothing';
  const parts = Object.entries(query).map(([key, operand]) => {
    if (key === '$and' || key === '$or') {
      const inner = Array.isArray(operand) ? operand.map(textOf) : [];
      return inner.length > 1 ? `(${inner.join(key === '$and' ? ' and ' : ' or ')})` : (inner[0] ?? '');
    }
    if (!isPlain(operand)) return `${key} = ${shown(operand)}`;
    return Object.entries(operand)
      .map(([name, argument]) => `${key} ${signs[name] ?? name} ${shown(argument)}`)
      .join(' and ');
  });
  return parts.length === 0 ? 'always' : parts.join(' and ');
}

export function shown(value: unknown): string {
  if (isPlain(value)) return 'an object';
  return cut(JSON.stringify(value) ?? 'undefined', most.value);
}

export const cut = (text: string, limit: number): string => (text.length <= limit ? text : `${text.slice(0, limit - 1).toWellFormed()}…`);

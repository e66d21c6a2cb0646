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

/** Masks the secrets in a text. It is called before a text is cut: the rest of a secret would no longer be found. */
export type Hide = (text: string) => string;

const unchanged: Hide = (text) => text;

/** A query of conditional routing on one line: `metadata.plan = "paid"`. */
export const conditionText = (query: unknown, hide: Hide): string => cut(textOf(query, hide), most.text, hide);

function textOf(query: unknown, hide: Hide): string {
  if (!isPlain(query)) return 'nothing';
  const parts = Object.entries(query).map(([key, operand]) => {
    if (key === '$and' || key === '$or') {
      const inner = Array.isArray(operand) ? operand.map((each) => textOf(each, hide)) : [];
      return inner.length > 1 ? `(${inner.join(key === '$and' ? ' and ' : ' or ')})` : (inner[0] ?? '');
    }
    if (!isPlain(operand)) return `${key} = ${shown(operand, hide)}`;
    return Object.entries(operand)
      .map(([name, argument]) => `${key} ${signs[name] ?? name} ${shown(argument, hide)}`)
      .join(' and ');
  });
  return parts.length === 0 ? 'always' : parts.join(' and ');
}

export function shown(value: unknown, hide: Hide): string {
  if (isPlain(value)) return 'an object';
  return cut(JSON.stringify(value) ?? 'undefined', most.value, hide);
}

export function cut(text: string, limit: number, hide: Hide = unchanged): string {
  const whole = text.length <= limit ? text : hide(text);
  return whole.length <= limit ? whole : `${whole.slice(0, limit - 1).toWellFormed()}…`;
}

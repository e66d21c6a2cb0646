import { isJsonObject } from '../../../core/json/merge.ts';

/** Longest text of a condition, and of a value in it, in characters. */
const maxLength = { text: 200, value: 60 } as const;

/** Operators in readable form. */
export const operatorSymbols: Readonly<Record<string, string>> = {
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
export type MaskText = (text: string) => string;

const unchanged: MaskText = (text) => text;

/** A query of conditional routing on one line: `metadata.plan = "paid"`. */
export const conditionText = (query: unknown, mask: MaskText): string => truncate(textOf(query, mask), maxLength.text, mask);

function textOf(query: unknown, mask: MaskText): string {
  if (!isJsonObject(query)) return 'nothing';
  const parts = Object.entries(query).map(([key, operand]) => {
    if (key === '$and' || key === '$or') {
      const inner = Array.isArray(operand) ? operand.map((each) => textOf(each, mask)) : [];
      return inner.length > 1 ? `(${inner.join(key === '$and' ? ' and ' : ' or ')})` : (inner[0] ?? '');
    }
    if (!isJsonObject(operand)) return `${key} = ${valueText(operand, mask)}`;
    return Object.entries(operand)
      .map(([name, argument]) => `${key} ${operatorSymbols[name] ?? name} ${valueText(argument, mask)}`)
      .join(' and ');
  });
  return parts.length === 0 ? 'always' : parts.join(' and ');
}

export function valueText(value: unknown, mask: MaskText): string {
  if (isJsonObject(value)) return 'an object';
  return truncate(JSON.stringify(value) ?? 'undefined', maxLength.value, mask);
}

export function truncate(text: string, limit: number, mask: MaskText = unchanged): string {
  const masked = text.length <= limit ? text : mask(text);
  return masked.length <= limit ? masked : `${masked.slice(0, limit - 1).toWellFormed()}…`;
}

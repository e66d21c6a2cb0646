import type { Plain } from '../json/merge.ts';

/** The output limit of a chat completion has two names. Some services reject both together, others read only one of them. */
const names: Readonly<Record<string, string>> = {
  max_tokens: 'max_completion_tokens',
  max_completion_tokens: 'max_tokens',
};

/** Returns the other name of a field, which must be removed when the field is written; undefined if it has none. */
export const otherLimitName = (field: string): string | undefined => (Object.hasOwn(names, field) ? names[field] : undefined);

/** Fields of a body with the same meaning as written fields, under another name: they must be removed. */
export const overruledBy = (written: Plain): readonly string[] =>
  Object.keys(written).flatMap((field) => {
    const other = otherLimitName(field);
    return other === undefined || Object.hasOwn(written, other) ? [] : [other];
  });

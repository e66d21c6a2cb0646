import type { Plain } from '../json/merge.ts';

/** The limit of a chat completion has two names, of which some services reject both together, and others read one. */
const names: Readonly<Record<string, string>> = {
  max_tokens: 'max_completion_tokens',
  max_completion_tokens: 'max_tokens',
};

/** The other name of a field, which whoever writes the one overrules; undefined for a field that has none. */
export const otherLimitName = (field: string): string | undefined => (Object.hasOwn(names, field) ? names[field] : undefined);

/** Members of a body that say the same as what is written over it, under another name: they are taken out. */
export const overruledBy = (written: Plain): readonly string[] =>
  Object.keys(written).flatMap((field) => {
    const other = otherLimitName(field);
    return other === undefined || Object.hasOwn(written, other) ? [] : [other];
  });

/** Old names of keys in config objects (in snake case) and their current names. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['strict_open_ai_compliance', 'strict_compliance'],
  ['strict_openai_compliance', 'strict_compliance'],
  ['use_retry_after_headers', 'use_retry_after_header'],
]);

const snakeCase = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Canonical name of a key; `x-…` keys are unchanged. */
export function canonicalKey(written: string): string {
  if (written.startsWith('x-')) return written;
  const key = snakeCase(written);
  return aliases.get(key) ?? key;
}

/** True for an old name, which still works but is deprecated. */
export const isOldName = (written: string): boolean => aliases.has(snakeCase(written));

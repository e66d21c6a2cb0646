/** Old names of keys of config objects, after camelCase was undone, and the key that counts. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['strict_open_ai_compliance', 'strict_compliance'],
  ['strict_openai_compliance', 'strict_compliance'],
  ['use_retry_after_headers', 'use_retry_after_header'],
]);

const snake = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The key that a spelling stands for; notes (`x-…`) keep theirs. */
export function canonicalKey(written: string): string {
  if (written.startsWith('x-')) return written;
  const key = snake(written);
  return aliases.get(key) ?? key;
}

/** True for a spelling that keeps working, and should not be used any more. */
export const isOldName = (written: string): boolean => aliases.has(snake(written));

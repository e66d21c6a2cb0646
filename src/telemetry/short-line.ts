import type { Mask } from '../core/secrets/mask.ts';

/** Longest line whose texts are not cut, in characters. The texts of an error with its causes have any size. */
export const maxLineLength = 64 * 1024;
/** Maximum length of each text in a longer line. */
const maxTextLength = 16 * 1024;

/**
 * A JSON line of the log with its long texts cut.
 *
 * @param mask applied before the cut: the beginning of a secret would not be found afterwards
 */
export function shortLine(line: string, mask: Mask | undefined): string {
  const fields: unknown = JSON.parse(line, (_name, value: unknown) => (typeof value === 'string' ? shortText(value, mask) : value));
  return `${JSON.stringify(fields)}\n`;
}

function shortText(text: string, mask: Mask | undefined): string {
  if (text.length <= maxTextLength) return text;
  const masked = mask?.text(text) ?? text;
  return `${masked.slice(0, maxTextLength)}… (${text.length} characters)`;
}

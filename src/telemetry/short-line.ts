import type { Mask } from '../core/secrets/mask.ts';

/** Longest line that is not cut, in characters. The texts of an error with its causes have any size and number. */
export const maxLineLength = 64 * 1024;
/** Maximum length of each text in a longer line, and where that is not enough. */
const maxTextLength = 16 * 1024;
const maxShortTextLength = 512;

/**
 * A JSON line of the log with its long texts cut; if it has too many of them, with its other fields as one text.
 *
 * @param mask applied before the cut: the beginning of a secret would not be found afterwards
 */
export function shortLine(line: string, mask: Mask | undefined): string {
  for (const limit of [maxTextLength, maxShortTextLength]) {
    const short = `${JSON.stringify(withShortTexts(line, limit, mask))}\n`;
    if (short.length <= maxLineLength) return short;
  }
  const { level, time, msg = '', ...others } = JSON.parse(line) as { level?: unknown; time?: unknown; msg?: unknown };
  const fields = shortText(JSON.stringify(others), maxTextLength, mask);
  return `${JSON.stringify({ level, time, msg: shortText(String(msg), maxShortTextLength, mask), fields })}\n`;
}

const withShortTexts = (line: string, limit: number, mask: Mask | undefined): unknown =>
  JSON.parse(line, (_name, value: unknown) => (typeof value === 'string' ? shortText(value, limit, mask) : value));

function shortText(text: string, limit: number, mask: Mask | undefined): string {
  if (text.length <= limit) return text;
  const masked = mask?.text(text) ?? text;
  return `${masked.slice(0, limit)}… (${text.length} characters)`;
}

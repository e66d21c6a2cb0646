import { parseJson } from '../../../../../core/json/scan.ts';

/** Formatting a longer text would block the page. */
const maxFormattedLength = 2_000_000;

/** Formats JSON with line breaks; returns other text unchanged. */
export function formatJson(text: string): string {
  if (text.length > maxFormattedLength) return text;
  try {
    // Formatting would change numbers that exceed the precision of a double, so such text is shown unchanged.
    return /[\d.]{17,}/.test(text) ? text : JSON.stringify(parseJson(text), null, 2);
  } catch {
    return text;
  }
}

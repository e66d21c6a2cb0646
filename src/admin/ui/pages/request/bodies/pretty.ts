import { parseJson } from '../../../../../core/json/scan.ts';

/** More than this would stop the page while it is formatted. */
const most = 2_000_000;

/** JSON on lines of its own; other texts as they are. */
export function pretty(text: string): string {
  if (text.length > most) return text;
  try {
    // Numbers beyond what a double holds would change: such a text is shown as it came.
    return /[\d.]{17,}/.test(text) ? text : JSON.stringify(parseJson(text), null, 2);
  } catch {
    return text;
  }
}

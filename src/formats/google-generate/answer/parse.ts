import { parseChecked, parseJson, parseCheckedExact, parseExact } from '../../../core/json/scan.ts';

/**
 * A JSON text as a value, or undefined where it is none. Arguments of function calls go on as text, so their numbers keep
 * every digit; everything else is read the fast way.
 */
export function parsedAnswer(text: string): unknown {
  try {
    return hasCalls(text) ? parseExact(text) : parseJson(text);
  } catch {
    return undefined;
  }
}

/** The same for a text in which `flawOf` found nothing. */
export function checkedAnswer(text: string): unknown {
  try {
    return hasCalls(text) ? parseCheckedExact(text) : parseChecked(text);
  } catch {
    return undefined;
  }
}

const hasCalls = (text: string): boolean => text.includes('"functionCall"');

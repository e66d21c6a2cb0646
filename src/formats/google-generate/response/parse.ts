import { parseChecked, parseJson, parseCheckedExact, parseExact } from '../../../core/json/scan.ts';
import { isBlank } from '../../shared/json.ts';

/**
 * Parses JSON text; undefined if it is invalid. If it contains function calls, numbers keep all digits, because arguments are
 * forwarded as text. Otherwise the faster parser is used.
 */
export function parsedAnswer(text: string): unknown {
  if (isBlank(text)) return undefined;
  try {
    return hasCalls(text) ? parseExact(text) : parseJson(text);
  } catch {
    return undefined;
  }
}

/** Like `parsedAnswer`, for a text in which `flawOf` found nothing. */
export function checkedAnswer(text: string): unknown {
  try {
    return hasCalls(text) ? parseCheckedExact(text) : parseChecked(text);
  } catch {
    return undefined;
  }
}

const hasCalls = (text: string): boolean => text.includes('"functionCall"');

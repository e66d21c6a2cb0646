import { parseJson } from '../../../core/json/scan.ts';
import { parseExact } from '../../shared/exact.ts';

/**
 * A JSON text as a value, or undefined where it is none. Arguments of function calls go on as text, so their numbers keep
 * every digit; everything else is read the fast way.
 */
export function parsedAnswer(text: string): unknown {
  try {
    return text.includes('"functionCall"') ? parseExact(text) : (parseJson(text) as unknown);
  } catch {
    return undefined;
  }
}

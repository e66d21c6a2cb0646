import { isExactNumber, isJsonObject } from '../../../core/json/merge.ts';
import { parseExact } from '../../../core/json/scan.ts';

/**
 * Parses the input of a call. Text that is not a JSON object, such as a call that was cut off, is kept in a member `arguments`,
 * as in a history.
 */
export function inputOf(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    const value = parseExact(text);
    return isJsonObject(value) && !isExactNumber(value) ? value : value === null ? {} : { arguments: value };
  } catch {
    return { arguments: text };
  }
}

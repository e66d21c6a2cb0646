const truePattern = /^\s*(?:true|1|yes|on)\s*$/i;
const falsePattern = /^\s*(?:false|0|no|off)\s*$/i;

/**
 * Parses a boolean as clients write it in headers and form fields: Python prints `False`, shells write `0`. Undefined
 * for any other text.
 */
export function booleanIn(text: string): boolean | undefined {
  if (truePattern.test(text)) return true;
  return falsePattern.test(text) ? false : undefined;
}

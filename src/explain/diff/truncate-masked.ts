/** Longest secret that is recognized where a text is cut, in characters. */
const maxSecretLength = 8 * 1024;

/**
 * The beginning of a text, masked. More is searched than shown: the rest of a secret that is cut would not be found.
 *
 * @param isCut the text itself is only a beginning
 */
export function truncateMasked(text: string, maxLength: number, hide: (text: string) => string, isCut = false): string {
  // Masked secrets make the text shorter.
  const searched = text.slice(0, 2 * maxLength + 4 * maxSecretLength);
  const hidden = hide(searched);
  const end = isCut || searched.length < text.length ? Math.min(maxLength, hidden.length - maxSecretLength) : maxLength;
  return hidden.length <= end ? hidden : `${hidden.slice(0, Math.max(0, end - 1)).toWellFormed()}…`;
}

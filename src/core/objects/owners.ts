/**
 * Owners of objects at providers: files, batches, jobs, responses. Synchronous, so that no response is sent before its
 * owner is written.
 */
export interface ObjectOwners {
  /**
   * Returns the first owner; undefined for an ID that was not created through this gateway, or was forgotten.
   *
   * @param caller who sends the request; used only if no request is sent and the owners are unknown
   */
  ownerOf(account: string, id: string, caller?: string): string | undefined;
  /**
   * Sets the owner of IDs that have none yet. Persistent when it returns, even if the process is killed.
   *
   * @param isBrief for responses and their items: there are many, so they are forgotten sooner, oldest first
   */
  bind(account: string, ids: readonly string[], owner: string, isBrief: boolean): void;
}

/** Maximum length of a considered ID, in characters. */
const longestId = 4096;

/**
 * Returns the form in which IDs are compared: some are percent-encoded addresses, which clients encode again and
 * routers decode. An address itself may contain percent signs, and is not decoded further.
 */
export function canonicalId(id: string): string {
  let text = id;
  for (let times = 0; times < 3 && text.includes('%') && !text.includes('://'); times += 1) {
    try {
      text = decodeURIComponent(text);
    } catch {
      break;
    }
  }
  return lowerScheme(text);
}

/** Schemes are case-insensitive (RFC 3986 3.1): `GS://` refers to the same object. */
function lowerScheme(text: string): string {
  const end = text.indexOf('://');
  return end < 0 ? text : text.slice(0, end).toLowerCase() + text.slice(end);
}

/** True for a text that may be an object ID: one token of plausible length, or an address, which may contain spaces. */
export const couldBeId = (text: string): boolean =>
  text.length > 3 && text.length <= longestId && (!/\s/.test(text) || /^[a-z][a-z0-9+.-]*:\/\//i.test(text));

/** Who made which object at a provider: files, batches, jobs, responses. Synchronous, so that nothing leaves before it is written. */
export interface ObjectOwners {
  /** The owner that was bound first; undefined for an id that nobody made through this gateway, or that was forgotten. */
  ownerOf(account: string, id: string): string | undefined;
  /**
   * Binds ids that have no owner yet; those that have one keep it. Survives the death of the process once it returns.
   *
   * @param isBrief responses and their items: there are many, so they are forgotten sooner, oldest first
   */
  bind(account: string, ids: readonly string[], owner: string, isBrief: boolean): void;
}

/** Characters of the longest id that is looked at. */
const longestId = 4096;

/**
 * The form in which ids are compared: some are percent-encoded addresses, which clients encode once more and routers
 * decode. An address, once it is one, may hold percent signs of its own.
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

/** Schemes have no case (RFC 3986 3.1): `GS://` names the same object. */
function lowerScheme(text: string): string {
  const end = text.indexOf('://');
  return end < 0 ? text : text.slice(0, end).toLowerCase() + text.slice(end);
}

/** True for a text that could be the id of an object: one token of a length that ids have, or an address, whose names may hold spaces. */
export const couldBeId = (text: string): boolean =>
  text.length > 3 && text.length <= longestId && (!/\s/.test(text) || /^[a-z][a-z0-9+.-]*:\/\//i.test(text));

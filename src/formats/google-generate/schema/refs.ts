import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';

/** Resolves references in the schema that contains them. */
export class SchemaRefs {
  readonly #root: JsonObject;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  /** Returns the schema for `#/$defs/X` or any other pointer into the same document; undefined if there is none. */
  find(ref: string): unknown {
    if (ref === '#') return this.#root;
    if (!ref.startsWith('#/')) return undefined;
    let node: unknown = this.#root;
    for (const raw of ref.slice(2).split('/')) {
      const key = unescaped(raw);
      if (Array.isArray(node)) node = node[Number(key)] as unknown;
      else node = isJsonObject(node) && Object.hasOwn(node, key) ? node[key] : undefined;
    }
    return node;
  }
}

/** Decodes percent escapes first, then those of JSON Pointer (RFC 6901). */
function unescaped(token: string): string {
  let text = token;
  try {
    text = decodeURIComponent(token);
  } catch {
    // Not an escape: the text is used as it is.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~');
}

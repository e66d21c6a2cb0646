import { isPlain, type Plain } from '../../../core/json/merge.ts';

/** Looks references up in the schema that holds them. */
export class SchemaRefs {
  readonly #root: Plain;

  constructor(root: Plain) {
    this.#root = root;
  }

  /** The schema that `#/$defs/X` or any other pointer into the same document names; undefined when there is none. */
  find(ref: string): unknown {
    if (ref === '#') return this.#root;
    if (!ref.startsWith('#/')) return undefined;
    let node: unknown = this.#root;
    for (const raw of ref.slice(2).split('/')) {
      const key = unescaped(raw);
      if (Array.isArray(node)) node = node[Number(key)] as unknown;
      else node = isPlain(node) && Object.hasOwn(node, key) ? node[key] : undefined;
    }
    return node;
  }
}

/** Percent escapes first, then those of JSON Pointer (RFC 6901). */
function unescaped(token: string): string {
  let text = token;
  try {
    text = decodeURIComponent(token);
  } catch {
    // Not an escape: the text is meant as it is.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~');
}

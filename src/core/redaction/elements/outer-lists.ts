import type { Edit } from '../edits.ts';
import { afterColon, endOfString, endOfValue, pastBlanks } from '../json-traversal.ts';
import { ElementMatcher } from './element-matcher.ts';
import type { KnownElements } from './known-elements.ts';

const quote = 0x22;
const brace = 0x7b;
const bracket = 0x5b;
const comma = 0x2c;

/**
 * Bytes of a request outside of known elements, which must be searched. Counting stops beyond `limit`, and the result is then larger
 * than it.
 *
 * @param text one character per byte
 * @param bytes the same text as bytes
 */
export function sizeOfNew(text: string, bytes: Buffer, known: KnownElements, limit: number): number {
  const matcher = new ElementMatcher(text, bytes, known);
  let knownSize = 0;
  let end = 0;
  eachElement(text, (start) => {
    if (matcher.match(start) !== undefined) knownSize += matcher.end - start;
    end = matcher.end;
    return end - knownSize > limit ? undefined : end;
  });
  return end - knownSize > limit ? end - knownSize : text.length - knownSize;
}

/** Adds the elements of a request that was masked elsewhere. @param edits in order */
export function addElements(text: string, bytes: Buffer, known: KnownElements, edits: readonly Edit[]): void {
  const matcher = new ElementMatcher(text, bytes, known);
  let next = 0;
  eachElement(text, (start) => {
    matcher.match(start);
    const { end, checksum } = matcher;
    if (checksum === undefined) return end;
    const own: Edit[] = [];
    for (; next < edits.length && (edits[next] as Edit).from < end; next += 1) {
      const edit = edits[next] as Edit;
      if (edit.from >= start) own.push({ ...edit, from: edit.from - start, to: edit.to - start });
    }
    matcher.add(start, end, checksum, own);
    return end;
  });
}

/**
 * Calls `visit` for each element of the lists in the outermost object.
 *
 * @param visit returns the offset after the element; undefined to stop
 */
function eachElement(text: string, visit: (start: number) => number | undefined): void {
  const to = text.length;
  let at = pastBlanks(text, 0, to);
  let open = brace;
  while (text.charCodeAt(at) === open) {
    open = comma;
    const name = pastBlanks(text, at + 1, to);
    if (text.charCodeAt(name) !== quote) return;
    at = afterColon(text, endOfString(text, name + 1, to) + 1, to);
    if (at < 0) return;
    if (text.charCodeAt(at) !== bracket) at = endOfValue(text, at, to);
    else {
      do {
        const end = visit(pastBlanks(text, at + 1, to));
        if (end === undefined) return;
        at = pastBlanks(text, end, to);
      } while (text.charCodeAt(at) === comma);
      at += 1;
    }
    at = pastBlanks(text, at, to);
  }
}

import type { JsonBody } from '../../core/json/body.ts';
import { isJsonObject } from '../../core/json/merge.ts';

/**
 * What the gateway keeps in `encrypted_content` of a reasoning item, which clients send back unchanged: the signature of the
 * thinking, the data of encrypted thinking, the signature of the call or image that follows the item, or that of the text before it.
 */
export type Kept = 'thinking' | 'redacted' | 'next' | 'text';

const kinds: ReadonlySet<string> = new Set<Kept>(['thinking', 'redacted', 'next', 'text']);

const mark = 'gateway:';

/** @param value '' if the service signed nothing: the item is still recognized when it comes back */
export const encryptedContent = (kept: Kept, value: string): string => `${mark}${kept}:${value}`;

/** Returns what the gateway kept; undefined for the content of another service. */
export function keptIn(encrypted: unknown): { readonly kept: Kept; readonly value: string } | undefined {
  if (!isMarked(encrypted)) return undefined;
  const end = encrypted.indexOf(':', mark.length);
  const kept = encrypted.slice(mark.length, end);
  return end > 0 && kinds.has(kept) ? { kept: kept as Kept, value: encrypted.slice(end + 1) } : undefined;
}

/** A signed piece of the text before an item. */
export interface SignedPiece {
  /** In UTF-16 units, from the end of the signed piece before it, if there is one in the same text. */
  readonly start: number;
  readonly length: number;
  readonly signature: string;
}

export const signedPieceText = ({ start, length, signature }: SignedPiece): string => `${start}:${length}:${signature}`;

export function signedPieceIn(value: string): SignedPiece | undefined {
  const [, start, length, signature] = /^(\d{1,9}):(\d{1,9}):([^]+)$/.exec(value) ?? [];
  return signature === undefined ? undefined : { start: Number(start), length: Number(length), signature };
}

const isMarked = (value: unknown): value is string => typeof value === 'string' && value.startsWith(mark);

/**
 * Removes reasoning items of other services from a client's request. The API could not decrypt them and would reject the request.
 * Returns the same body if there are none, which takes one search of the text.
 */
export function withoutForeignReasoning(body: JsonBody): JsonBody {
  const input = body.mentions(`"${mark}`) ? body.exact('input') : undefined;
  if (!Array.isArray(input)) return body;
  const kept = input.filter((item: unknown) => !isJsonObject(item) || item['type'] !== 'reasoning' || !isMarked(item['encrypted_content']));
  return kept.length === input.length ? body : body.edit(new Map([['input', kept]]));
}

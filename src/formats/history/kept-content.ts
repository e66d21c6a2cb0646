import type { JsonObject } from '../../core/json/merge.ts';
import { stringOf } from '../shared/json.ts';

/**
 * What the gateway keeps in encrypted reasoning, which clients send back unchanged: `encrypted_content` of the responses API, and
 * `data` of the messages API. It is the signature of the thinking, the data of encrypted thinking, the signature of the call or
 * image that follows, or that of the text before it.
 */
export type Kept = 'thinking' | 'redacted' | 'next' | 'text';

const kinds: ReadonlySet<string> = new Set<Kept>(['thinking', 'redacted', 'next', 'text']);

/** Start of all that the gateway writes where only a service could create the real content. */
export const keptMark = 'gateway:';

export const isKept = (value: unknown): value is string => typeof value === 'string' && value.startsWith(keptMark);

/** @param value '' if the service signed nothing: the item is still recognized when it comes back */
export const keptText = (kept: Kept, value: string): string => `${keptMark}${kept}:${value}`;

/** Returns what the gateway kept; undefined for the content of another service. */
export function keptIn(encrypted: unknown): { readonly kept: Kept; readonly value: string } | undefined {
  if (!isKept(encrypted)) return undefined;
  const end = encrypted.indexOf(':', keptMark.length);
  const kept = encrypted.slice(keptMark.length, end);
  return end > 0 && kinds.has(kept) ? { kept: kept as Kept, value: encrypted.slice(end + 1) } : undefined;
}

/** A signed piece of the text before it. */
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

/** Divides the last block, a text, at its signed piece. Returns false if the client has changed the text. */
export function signLastText(blocks: JsonObject[], { start, length, signature }: SignedPiece): boolean {
  const last = blocks.at(-1);
  const isText = last?.['type'] === 'text' && last['signature'] === undefined;
  const text = isText ? stringOf(last['text']) : '';
  const end = start + length;
  if (end > text.length || isInPair(text, start) || isInPair(text, end)) return false;
  const signed = { type: 'text', text: text.slice(start, end), signature };
  if (end === 0) {
    blocks.push(signed);
    return true;
  }
  const parts = [{ type: 'text', text: text.slice(0, start) }, signed, { type: 'text', text: text.slice(end) }];
  const pieces = parts.filter((part) => part === signed || part.text !== '');
  // What else the block has, such as sources, stays behind the text.
  const lastText = pieces.findLastIndex((piece) => piece.text !== '');
  blocks.splice(-1, 1, ...pieces.map((piece, index) => (index === lastText ? { ...last, ...piece } : piece)));
  return true;
}

/** True between two surrogates: services reject a text with half of a character. */
const isInPair = (text: string, at: number): boolean => (text.codePointAt(at - 1) ?? 0) > 0xffff;

/** The member of a call for its signature. */
export const signedCall = (signature: string | undefined): JsonObject =>
  signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };

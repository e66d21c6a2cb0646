import { isPlain, type Plain } from '../../../../../core/json/merge.ts';

export type Block =
  | { readonly kind: 'text' | 'thinking' | 'refusal'; readonly text: string }
  | { readonly kind: 'call'; readonly name: string; readonly id: string | null; readonly args: string }
  | { readonly kind: 'image'; readonly url: string }
  | { readonly kind: 'other'; readonly name: string; readonly text: string };

/** What one choice or message of a response says. */
export interface Message {
  readonly role: string;
  readonly blocks: readonly Block[];
  readonly finish: string | null;
}

export interface Readable {
  readonly messages: readonly Message[];
  readonly usage: Plain | null;
  readonly error: string | null;
}

/** A format reads its own documents and gives up on others: `parts` is one whole response, or the data of its events. */
export type FormatReader = (parts: readonly Plain[]) => Readable | undefined;

export function errorIn(part: Plain): string | null {
  const { error } = part;
  if (typeof error === 'string') return error;
  return isPlain(error) && typeof error['message'] === 'string' ? error['message'] : null;
}

export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');
export const objectsIn = (value: unknown): readonly Plain[] => (Array.isArray(value) ? value.filter(isPlain) : []);

/** Only pictures that are part of the response: an address elsewhere would say who reads it. */
export const imageOf = (url: string): Block =>
  /^data:image\/(?:png|jpeg|gif|webp);base64,[\w+/=]+$/.test(url) ? { kind: 'image', url } : { kind: 'other', name: 'image', text: url };

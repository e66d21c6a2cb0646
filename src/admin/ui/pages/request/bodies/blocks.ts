import { isJsonObject, type JsonObject } from '../../../../../core/json/merge.ts';

export type Block =
  | { readonly kind: 'text' | 'thinking' | 'refusal'; readonly text: string }
  | { readonly kind: 'call'; readonly name: string; readonly id: string | null; readonly args: string }
  | { readonly kind: 'image'; readonly url: string }
  | { readonly kind: 'other'; readonly name: string; readonly text: string };

/** Content of one choice or message of a response. */
export interface Message {
  readonly role: string;
  readonly blocks: readonly Block[];
  readonly finish: string | null;
}

export interface Readable {
  readonly messages: readonly Message[];
  readonly usage: JsonObject | null;
  readonly error: string | null;
}

/** Reads documents of one format; undefined for others. `parts` is one whole response, or the data of its events. */
export type FormatReader = (parts: readonly JsonObject[]) => Readable | undefined;

export function errorIn(part: JsonObject): string | null {
  const { error } = part;
  if (typeof error === 'string') return error;
  return isJsonObject(error) && typeof error['message'] === 'string' ? error['message'] : null;
}

export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');
export const objectsIn = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);

/** Shows only images that are part of the response, because loading an external URL would reveal the reader. */
export const imageOf = (url: string): Block =>
  /^data:image\/(?:png|jpeg|gif|webp);base64,[\w+/=]+$/.test(url) ? { kind: 'image', url } : { kind: 'other', name: 'image', text: url };

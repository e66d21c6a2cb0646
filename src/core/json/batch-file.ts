import type { FormBody } from '../http/form.ts';
import { parseJson } from './scan.ts';
import { isJsonObject } from './merge.ts';
import { modelsNamedInText, type NamedModel, plainName } from './model-fields.ts';
import { modelsInQuery } from '../http/models-in-query.ts';

/**
 * True for an upload that is a batch: its purpose is `batch` in any spelling, or the purpose follows only after the file, whose name is
 * that of a JSON Lines file.
 */
export function isBatchInput(form: Pick<FormBody, 'fields' | 'file'>): boolean {
  const purpose = form.fields.get('purpose');
  return purpose === undefined ? /\.(?:jsonl|ndjson)$/i.test(form.file?.filename ?? '') : isBatchPurpose(purpose);
}

/** Parsers of enumerations ignore case and blanks at some services (.NET's `Enum.TryParse`), and rules must hold there too. */
export const isBatchPurpose = (purpose: string | undefined): boolean => purpose?.trim().toLowerCase() === 'batch';

/**
 * Returns the member of a batch with the address of a file that the service itself reads from storage: its lines never pass
 * through the gateway. Undefined if there is none.
 */
export function unreadInputIn(body: unknown): string | undefined {
  if (!isJsonObject(body)) return undefined;
  return Object.keys(body).find((key) => plainName(key) === 'inputblob' && body[key] !== null);
}

/**
 * The models that a line of a batch names in any field, including `body.model`, and in its URL. A line that is not strict
 * JSON has one model without a name, because services accept different supersets of JSON.
 */
export function modelsInLine(line: string): readonly NamedModel[] {
  const text = line.replace(/^\ufeff/, '');
  if (text.trim() === '') return [];
  const found = modelsNamedInText(text);
  if (found === undefined) return [{ name: undefined, field: 'body' }];
  return text.includes('?') ? [...found, ...modelsInUrl(text)] : found;
}

/** The URL of a line may have a query of its own. */
function modelsInUrl(text: string): NamedModel[] {
  const value: unknown = parseJson(text);
  const url = isJsonObject(value) ? value['url'] : undefined;
  if (typeof url !== 'string') return [];
  return modelsInQuery(url.slice(url.indexOf('?') + 1)).map((name) => ({ name, field: 'url' }));
}

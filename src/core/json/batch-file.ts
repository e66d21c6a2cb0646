import type { FormBody } from '../http/form.ts';
import { parseJson } from './scan.ts';
import { isPlain } from './merge.ts';
import { modelsNamedInText, type NamedModel } from './model-fields.ts';
import { modelsInQuery } from '../http/query-names.ts';

/**
 * True for an upload that is a batch: its purpose says so, or comes only behind the file, which then has the name of a
 * file of lines.
 */
export function isBatchInput(form: Pick<FormBody, 'fields' | 'file'>): boolean {
  const purpose = form.fields.get('purpose');
  return purpose === undefined ? /\.(?:jsonl|ndjson)$/i.test(form.file?.filename ?? '') : purpose === 'batch';
}

/**
 * The models that a line of a batch names in any field of its, `body.model` among them, and in its address. A line that is
 * no strict JSON has one without a name: services read more than JSON allows, and differ about it.
 */
export function modelsInLine(line: string): readonly NamedModel[] {
  const text = line.replace(/^\ufeff/, '');
  if (text.trim() === '') return [];
  const found = modelsNamedInText(text);
  if (found === undefined) return [{ name: undefined, field: 'body' }];
  return text.includes('?') ? [...found, ...inAddress(text)] : found;
}

/** Addresses of lines may have a query of their own. */
function inAddress(text: string): NamedModel[] {
  const value: unknown = parseJson(text);
  const url = isPlain(value) ? value['url'] : undefined;
  if (typeof url !== 'string') return [];
  return modelsInQuery(url.slice(url.indexOf('?') + 1)).map((name) => ({ name, field: 'url' }));
}

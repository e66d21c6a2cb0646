import type { FormBody } from './form.ts';
import { scanObject, parseJson } from './json-scan.ts';

/**
 * True for an upload that is a batch: its purpose says so, or comes only behind the file, which then has the name of a
 * file of lines.
 */
export function isBatchInput(form: Pick<FormBody, 'fields' | 'file'>): boolean {
  const purpose = form.fields.get('purpose');
  return purpose === undefined ? /\.(?:jsonl|ndjson)$/i.test(form.file?.filename ?? '') : purpose === 'batch';
}

/**
 * The models that a line of a batch asks for: `model` in its `body`, every one where a key stands there twice, since
 * services differ in which they read. Of a line that is no strict JSON all texts that could be read as a model's name.
 */
export function modelsInLine(line: string): readonly string[] {
  try {
    return membersOf(line, 'body').flatMap((body) =>
      body.startsWith('{') ? membersOf(body, 'model').flatMap((text) => textsIn(parseJson(text))) : [],
    );
  } catch {
    return looselyNamed(line);
  }
}

const membersOf = (text: string, name: string): string[] =>
  scanObject(text).flatMap(({ key, start, end }) => (key === name ? [text.slice(start, end)] : []));

const textsIn = (value: unknown): string[] => (typeof value === 'string' ? [value] : []);

/** Some services read more than JSON allows, such as NaN: what they could take for a model counts. */
function looselyNamed(line: string): string[] {
  if (line.trim() === '') return [];
  const plain = line.replaceAll(/\\u([0-9a-fA-F]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return [...plain.matchAll(/"model"\s*:\s*"([^"]*)"/g)].map((found) => found[1] ?? '');
}

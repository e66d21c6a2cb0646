import { GatewayError } from '../../../core/error.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';

type FieldType = 'string' | 'object' | 'list' | 'objects';

/** Types of the fields that a conversion walks through. A value of another type would be dropped silently or misread. */
export type FieldTypes = ReadonlyMap<string, readonly FieldType[]>;

const chatFields: FieldTypes = new Map([
  ['messages', ['objects']],
  ['tools', ['objects']],
  ['functions', ['objects']],
  ['tool_choice', ['string', 'object']],
  ['function_call', ['string', 'object']],
  ['response_format', ['object']],
  ['stop', ['string', 'list']],
  ['modalities', ['list']],
  ['stream_options', ['object']],
]);

/** @throws GatewayError `invalid_type` with the path of the field */
export const checkChatTypes = (body: JsonObject): void => checkFieldTypes(body, chatFields);

/** @param required a field that may be neither missing nor null @throws GatewayError `invalid_type` with the path of the field */
export function checkFieldTypes(body: JsonObject, fields: FieldTypes, required?: string): void {
  if (required !== undefined && (body[required] ?? null) === null) throw wrongType(required, body[required], fields.get(required) ?? []);
  for (const field in body) {
    const types = fields.get(field);
    const value = body[field];
    if (types === undefined || value === undefined || value === null) continue;
    if (!types.some((type) => hasType(type, value))) throw wrongType(field, value, types);
    if (Array.isArray(value) && types.includes('objects')) checkItems(field, value);
  }
}

function checkItems(field: string, items: readonly unknown[]): void {
  for (let index = 0; index < items.length; index += 1)
    if (!isJsonObject(items[index])) throw wrongType(`${field}[${index}]`, items[index], ['object']);
}

const hasType = (type: FieldType, value: unknown): boolean =>
  type === 'string' ? typeof value === 'string' : type === 'object' ? isJsonObject(value) : Array.isArray(value);

const typeNames: Readonly<Record<FieldType, string>> = {
  string: 'a string',
  object: 'an object',
  list: 'a list',
  objects: 'a list of objects',
};

function wrongType(param: string, value: unknown, types: readonly FieldType[]): GatewayError {
  const wanted = types.map((type) => typeNames[type]).join(' or ');
  return new GatewayError('invalid_type', {
    message: `"${param}" is ${describeType(value)}, not ${wanted}.`,
    param,
    hint: `Send ${wanted} in "${param}".`,
  });
}

function describeType(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

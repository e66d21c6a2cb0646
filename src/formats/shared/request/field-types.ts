import { GatewayError } from '../../../core/error.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';

type FieldType = 'string' | 'object' | 'list' | 'objects';

/** Types of the chat request fields that a conversion walks through. A value of another type would be dropped silently or misread. */
const chatFields: ReadonlyMap<string, readonly FieldType[]> = new Map([
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
export function checkChatTypes(body: JsonObject): void {
  for (const field in body) {
    const types = chatFields.get(field);
    const value = body[field];
    if (types === undefined || value === undefined || value === null) continue;
    if (!types.some((type) => hasType(type, value))) throw wrongType(field, value, types.map((type) => typeNames[type]).join(' or '));
    if (types[0] === 'objects') checkItems(field, value as readonly unknown[]);
  }
}

function checkItems(field: string, items: readonly unknown[]): void {
  for (let index = 0; index < items.length; index += 1)
    if (!isJsonObject(items[index])) throw wrongType(`${field}[${index}]`, items[index], typeNames.object);
}

const hasType = (type: FieldType, value: unknown): boolean =>
  type === 'string' ? typeof value === 'string' : type === 'object' ? isJsonObject(value) : Array.isArray(value);

const typeNames: Readonly<Record<FieldType, string>> = {
  string: 'a string',
  object: 'an object',
  list: 'a list',
  objects: 'a list of objects',
};

function wrongType(param: string, value: unknown, wanted: string): GatewayError {
  return new GatewayError('invalid_type', {
    message: `"${param}" is ${describeType(value)}, not ${wanted}.`,
    param,
    hint: `Send ${wanted} in "${param}".`,
  });
}

function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

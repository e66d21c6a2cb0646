import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { GenerateConversion } from './conversion.ts';
import { toServedSchema } from '../schema/index.ts';

/** Converts `response_format` to members of `generationConfig`. */
export function toResponseFormat(format: unknown, { options, drops }: GenerateConversion): JsonObject {
  if (!isJsonObject(format)) return {};
  if (format['type'] === 'json_object') return { responseMimeType: 'application/json' };
  if (format['type'] !== 'json_schema') {
    if (format['type'] !== 'text') drops.add('response_format', 'not a format of this service');
    return {};
  }
  const schema = described(isJsonObject(format['json_schema']) ? format['json_schema'] : format);
  if (options.schemas === 'original' && isJsonObject(schema)) return { responseMimeType: 'application/json', responseJsonSchema: schema };
  const served = toServedSchema(schema, (keyword) => drops.add(`response_format.json_schema.schema.${keyword}`));
  return { responseMimeType: 'application/json', ...(served === undefined ? {} : { responseSchema: served }) };
}

/** Moves the description of the format into the schema, because the service has no other place for it. */
function described({ schema, description }: JsonObject): unknown {
  const movesDescription =
    typeof description === 'string' && description !== '' && isJsonObject(schema) && schema['description'] === undefined;
  return movesDescription ? { ...schema, description } : schema;
}

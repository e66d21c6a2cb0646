import { isJsonObject } from '../../../core/json/merge.ts';

/** Instructs a model whose service has no JSON mode, or no structured outputs. */
export const jsonInstruction = 'Answer with one JSON object and nothing else: no other text, no code fence.';

/** Instructs a model to follow a schema. @param wanted `json_schema` of a response format */
export function schemaInstruction(wanted: unknown): string {
  if (!isJsonObject(wanted)) return jsonInstruction;
  const { description, schema } = wanted;
  const about = typeof description === 'string' && description !== '' ? ` The object: ${description.replace(/\.?$/, '.')}` : '';
  const rule = isJsonObject(schema) ? ` It is valid by this JSON schema: ${JSON.stringify(schema)}` : '';
  return `${jsonInstruction}${about}${rule}`;
}

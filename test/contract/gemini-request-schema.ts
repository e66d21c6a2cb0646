/**
 * Requests that generateContent accepts, as strict as the service: any unknown field is an error.
 */
const object = (properties: Record<string, unknown>, required: readonly string[] = []) => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
});
const text = { type: 'string' };
const filled = { type: 'string', minLength: 1 };
const struct = { type: 'object' };
const list = (items: unknown, minItems = 1) => ({ type: 'array', items, minItems });
const base64 = { type: 'string', pattern: '^[A-Za-z0-9+/]*={0,2}$' };
const inlineData = object({ mimeType: { type: 'string', pattern: '^[a-z]+/[\\w.+-]+$' }, data: base64 }, ['mimeType', 'data']);
const fileData = object({ mimeType: { type: 'string', pattern: '^[a-z]+/[\\w.+-]+$' }, fileUri: filled }, ['fileUri']);

/** Exactly one payload, and the fields that may accompany it. */
const payload = (name: string, schema: unknown, beside: Record<string, unknown> = {}) =>
  object({ [name]: schema, thoughtSignature: filled, ...beside }, [name]);
const resolution = {
  mediaResolution: object({ level: { type: 'string', pattern: '^MEDIA_RESOLUTION_' } }, ['level']),
  videoMetadata: struct,
};
/** Google's libraries return steps of the code tool with this flag (Firebase AI: `ExecutableCodePart.isThought`). */
const withinThought = { thought: { const: true } };
const functionResponse = object(
  {
    id: filled,
    name: filled,
    response: struct,
    parts: list({ anyOf: [object({ inlineData }, ['inlineData']), object({ fileData }, ['fileData'])] }),
  },
  ['name', 'response'],
);

const part = {
  anyOf: [
    { ...payload('text', text), if: { not: { required: ['thoughtSignature'] } }, then: { properties: { text: filled } } },
    payload('inlineData', inlineData, resolution),
    payload('fileData', fileData, resolution),
    payload('functionCall', object({ id: filled, name: filled, args: struct }, ['name', 'args'])),
    payload('functionResponse', functionResponse),
    payload('executableCode', object({ language: filled, code: text, id: filled }, ['language', 'code']), withinThought),
    payload('codeExecutionResult', object({ outcome: filled, output: text, id: filled }, ['outcome']), withinThought),
  ],
};

/** A schema of the service's own subset, named `schema-node`. */
export const schemaNode = {
  $id: 'schema-node',
  type: 'object',
  additionalProperties: false,
  properties: {
    type: { enum: ['string', 'number', 'integer', 'boolean', 'array', 'object'] },
    title: text,
    description: text,
    format: { enum: ['date-time', 'enum', 'int32', 'int64', 'float', 'double'] },
    nullable: { const: true },
    default: {},
    example: {},
    enum: { ...list(filled), uniqueItems: true },
    items: { $ref: 'schema-node' },
    minItems: { type: 'integer' },
    maxItems: { type: 'integer' },
    properties: { type: 'object', minProperties: 1, additionalProperties: { $ref: 'schema-node' } },
    required: list(text),
    propertyOrdering: list(text),
    minProperties: { type: 'integer' },
    maxProperties: { type: 'integer' },
    minimum: { type: 'number' },
    maximum: { type: 'number' },
    minLength: { type: 'integer' },
    maxLength: { type: 'integer' },
    pattern: text,
    anyOf: { type: 'array', minItems: 2, items: { $ref: 'schema-node' } },
  },
  allOf: [
    {
      if: { required: ['anyOf'] },
      then: { properties: { anyOf: true, nullable: true }, additionalProperties: false },
      else: { required: ['type'] },
    },
    { if: { properties: { type: { const: 'array' } }, required: ['type'] }, then: { required: ['items'] } },
    { if: { required: ['enum'] }, then: { properties: { type: { const: 'string' } } } },
    { if: { required: ['required'] }, then: { required: ['properties'] } },
  ],
};

const modes = { enum: ['AUTO', 'NONE', 'ANY', 'VALIDATED'] };

export const requestSchema = {
  ...object(
    {
      systemInstruction: object({ parts: list(object({ text: filled }, ['text'])) }, ['parts']),
      contents: list(object({ role: { enum: ['user', 'model'] }, parts: list(part) }, ['role', 'parts'])),
      tools: list({
        oneOf: [
          object(
            { functionDeclarations: list(object({ name: filled, description: text, parameters: { $ref: 'schema-node' } }, ['name'])) },
            ['functionDeclarations'],
          ),
          object({ googleSearch: struct }, ['googleSearch']),
        ],
      }),
      toolConfig: object({ functionCallingConfig: object({ mode: modes, allowedFunctionNames: list(filled) }, ['mode']) }),
      generationConfig: object({
        temperature: { type: 'number' },
        topP: { type: 'number' },
        maxOutputTokens: { type: 'integer' },
        stopSequences: list(filled),
        candidateCount: { type: 'integer' },
        seed: { type: 'integer' },
        presencePenalty: { type: 'number' },
        responseMimeType: { const: 'application/json' },
        responseSchema: { $ref: 'schema-node' },
        responseModalities: list({ enum: ['TEXT', 'IMAGE'] }),
        thinkingConfig: {
          ...object({
            includeThoughts: { type: 'boolean' },
            thinkingBudget: { type: 'integer' },
            thinkingLevel: { enum: ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'] },
          }),
          not: { required: ['thinkingBudget', 'thinkingLevel'] },
        },
      }),
      labels: { type: 'object', additionalProperties: text },
      safetySettings: list(struct),
    },
    ['contents'],
  ),
};

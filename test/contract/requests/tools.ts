import { fields, type RequestRow, schema } from './row.ts';

const functionTool = (name: string, more: object = {}) => ({ type: 'function', function: { name, ...more } });
const params = { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] };
const declared = (...list: object[]) => ({ functionDeclarations: list });
const config = (functionCallingConfig: object) => ({
  tools: [declared({ name: 'f', parameters: params })],
  toolConfig: { functionCallingConfig },
});
const choice = (name: string, tool_choice: unknown, upstream: object) =>
  fields(`tool_choice ${name}`, { tools: [functionTool('f', { parameters: params })], tool_choice }, config(upstream));
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

/** Tools and their choice. */
export const toolRows: readonly RequestRow[] = [
  fields(
    'all functions in one tool',
    { tools: [functionTool('f', { description: 'd', parameters: params }), functionTool('g')] },
    { tools: [declared({ name: 'f', description: 'd', parameters: params }, { name: 'g' })] },
  ),
  fields('no tools', { tools: [] }, {}),
  fields(
    'strict is reported',
    { tools: [functionTool('f', { parameters: params, strict: true })] },
    { tools: [declared({ name: 'f', parameters: params })] },
    { dropped: ['tools[].function.strict'] },
  ),
  ...(['vendor_search', 'google_search', 'googleSearch'] as const).map((name) =>
    fields(`search as ${name}`, { tools: [functionTool(name)] }, { tools: [{ googleSearch: {} }] }),
  ),
  fields(
    'search with options',
    { tools: [functionTool('vendor_search', { parameters: { timeRangeFilter: { startTime: 'a', endTime: 'b' } } })] },
    { tools: [{ googleSearch: { timeRangeFilter: { startTime: 'a', endTime: 'b' } } }] },
  ),
  fields(
    'search with an empty schema',
    { tools: [functionTool('google_search', { parameters: { type: 'object', properties: {} } })] },
    { tools: [{ googleSearch: {} }] },
  ),
  fields(
    'a function of the client named google_search',
    { tools: [functionTool('google_search', { parameters: params })] },
    { tools: [declared({ name: 'google_search', parameters: params })] },
  ),
  fields('search by type', { tools: [{ type: 'google_search' }] }, { tools: [{ googleSearch: {} }] }),
  fields(
    "search in Gemini's format",
    { tools: [{ googleSearch: { excludeDomains: ['a'] } }] },
    { tools: [{ googleSearch: { excludeDomains: ['a'] } }] },
  ),
  fields('web_search_options', { web_search_options: {} }, { tools: [{ googleSearch: {} }] }),
  fields('search retrieval', { tools: [functionTool('vendor_search_retrieval')] }, { tools: [{ googleSearchRetrieval: {} }] }),
  fields(
    'search retrieval with a threshold',
    {
      tools: [
        functionTool('google_search_retrieval', {
          parameters: { dynamicRetrievalConfig: { mode: 'MODE_DYNAMIC', dynamicThreshold: 0.7 } },
        }),
      ],
    },
    {
      tools: [{ googleSearchRetrieval: { dynamicRetrievalConfig: { mode: 'MODE_DYNAMIC', dynamicThreshold: 0.7 } } }],
    },
  ),
  fields(
    'search and functions are both passed on',
    { tools: [functionTool('vendor_search'), functionTool('f', { parameters: params })] },
    { tools: [declared({ name: 'f', parameters: params }), { googleSearch: {} }] },
  ),
  fields(
    'code, pages and maps',
    {
      tools: [
        functionTool('code_execution'),
        functionTool('url_context'),
        functionTool('google_maps', { parameters: { latLng: { latitude: 1, longitude: 2 }, languageCode: 'de' } }),
      ],
    },
    {
      tools: [{ codeExecution: {} }, { urlContext: {} }, { googleMaps: {} }],
      toolConfig: { retrievalConfig: { latLng: { latitude: 1, longitude: 2 }, languageCode: 'de' } },
    },
  ),
  fields(
    'the computer use tool',
    { tools: [functionTool('computer_use')] },
    { tools: [{ computerUse: { environment: 'ENVIRONMENT_BROWSER' } }] },
  ),
  fields(
    'functions of the older API',
    { functions: [{ name: 'f', parameters: params }], function_call: { name: 'f' } },
    config({ mode: 'ANY', allowedFunctionNames: ['f'] }),
  ),
  fields(
    'custom tools are dropped and reported',
    { tools: [{ type: 'custom', custom: { name: 'x' } }, functionTool('f', { parameters: params })] },
    { tools: [declared({ name: 'f', parameters: params })] },
    { dropped: ['tools[].custom'] },
  ),
  choice('auto', 'auto', { mode: 'AUTO' }),
  choice('none', 'none', { mode: 'NONE' }),
  choice('required', 'required', { mode: 'ANY' }),
  choice('of a function', { type: 'function', function: { name: 'f' } }, { mode: 'ANY', allowedFunctionNames: ['f'] }),
  choice(
    'of several, required',
    { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [functionTool('f'), functionTool('g')] } },
    { mode: 'ANY', allowedFunctionNames: ['f', 'g'] },
  ),
  choice(
    'of several, auto',
    { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [functionTool('f')] } },
    { mode: 'VALIDATED', allowedFunctionNames: ['f'] },
  ),
  fields(
    "tools of OpenAI's responses API are left out",
    { tools: [functionTool('f', { parameters: params }), { type: 'web_search_preview' }, { type: 'code_interpreter', container: {} }] },
    { tools: [{ functionDeclarations: [{ name: 'f', parameters: params }] }] },
    { dropped: ['tools[].web_search_preview', 'tools[].code_interpreter'] },
  ),
  fields(
    'options of a search tool of another provider are dropped and reported',
    { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 2, allowed_domains: ['h.example'] }] },
    { tools: [{ googleSearch: {} }] },
    { dropped: ['tools[].web_search_20250305.max_uses', 'tools[].web_search_20250305.allowed_domains'] },
  ),
  fields(
    'options in web_search_options are dropped and reported',
    { web_search_options: { search_context_size: 'low' } },
    { tools: [{ googleSearch: {} }] },
    { dropped: ['web_search_options.search_context_size'] },
  ),
  fields(
    'tool_choice of a tool that is not a function',
    {
      tools: [functionTool('f', { parameters: params }), { type: 'web_search_20250305', name: 'web_search' }],
      tool_choice: { type: 'function', function: { name: 'web_search' } },
    },
    { tools: [{ functionDeclarations: [{ name: 'f', parameters: params }] }, { googleSearch: {} }] },
    { dropped: ['tool_choice'] },
  ),
  fields(
    'tool_choice without functions',
    { tools: [functionTool('vendor_search')], tool_choice: 'required' },
    { tools: [{ googleSearch: {} }] },
    { dropped: ['tool_choice'] },
  ),
  fields(
    'parallel_tool_calls',
    { tools: [functionTool('f', { parameters: params })], parallel_tool_calls: false },
    { tools: [declared({ name: 'f', parameters: params })] },
    { dropped: ['parallel_tool_calls'] },
  ),
];

/** JSON Schema in the service's subset. */
export const schemaRows: readonly RequestRow[] = [
  schema('omitted for functions without parameters', { type: 'object', properties: {}, additionalProperties: false }, undefined, {
    dropped: [],
  }),
  schema('omitted for parameters with arbitrary names', { type: 'object', additionalProperties: { type: 'number' } }, undefined, {
    dropped: ['tools[].function.parameters.additionalProperties'],
  }),
  schema('omitted if it is not a schema', 'x', undefined, { dropped: ['tools[].function.parameters'] }),
  {
    ...fields(
      'original schemas with arbitrary parameter names',
      { tools: [functionTool('f', { parameters: { additionalProperties: { type: 'number' } } })] },
      { tools: [declared({ name: 'f', parametersJsonSchema: { additionalProperties: { type: 'number' } } })] },
    ),
    settings: { region: 'us-central1', project: 'p1', schemas: 'original' },
  },
  schema(
    'unsupported keywords are removed, properties with the same names are kept',
    {
      $schema: 'x',
      $id: 'y',
      additionalProperties: false,
      ...object(
        {
          $ref: { type: 'string' },
          additionalProperties: { type: 'boolean' },
          default: { type: 'integer' },
          format: { type: 'string' },
          title: { type: 'string' },
        },
        { required: ['$ref', 'title', 'gone'] },
      ),
    },
    object(
      {
        $ref: { type: 'string' },
        additionalProperties: { type: 'boolean' },
        default: { type: 'integer' },
        format: { type: 'string' },
        title: { type: 'string' },
      },
      { required: ['$ref', 'title'] },
    ),
  ),
  schema(
    'references are inlined',
    {
      ...object({ a: { $ref: '#/$defs/A' }, b: { $ref: '#/definitions/a~1b', description: 'own' } }),
      $defs: { A: { type: 'string', enum: ['x'] } },
      definitions: { 'a/b': { type: 'integer', description: 'theirs' } },
    },
    object({ a: { type: 'string', enum: ['x'] }, b: { type: 'integer', description: 'own' } }),
  ),
  schema(
    'recursion is limited',
    { $ref: '#/$defs/N', $defs: { N: object({ v: { type: 'string' }, next: { $ref: '#/$defs/N' } }) } },
    object({ v: { type: 'string' }, next: { type: 'object' } }),
    { dropped: ['tools[].function.parameters.$ref'] },
  ),
  schema(
    'unions with null',
    object({
      a: { type: ['string', 'null'] },
      b: { anyOf: [{ type: 'integer' }, { type: 'null' }], description: 'd', default: null },
      c: { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] },
    }),
    object({
      a: { type: 'string', nullable: true },
      b: { type: 'integer', description: 'd', nullable: true },
      c: { anyOf: [{ type: 'string' }, { type: 'number' }], nullable: true },
    }),
  ),
  schema(
    'several types',
    object({ a: { type: ['string', 'integer'], minLength: 1, minimum: 2 } }),
    object({
      a: {
        anyOf: [
          { type: 'string', minLength: 1 },
          { type: 'integer', minimum: 2 },
        ],
      },
    }),
  ),
  schema(
    'siblings of anyOf are moved into its members',
    object({ a: { title: 'T', description: 'D', default: 'x', anyOf: [{ type: 'string' }, { type: 'integer', description: 'own' }] } }),
    object({
      a: {
        anyOf: [
          { type: 'string', title: 'T', description: 'D' },
          { type: 'integer', title: 'T', description: 'own' },
        ],
      },
    }),
  ),
  schema(
    'allOf is merged',
    object(
      { a: { allOf: [object({ x: { type: 'string' } }, { required: ['x'] }), { $ref: '#/$defs/Y' }] } },
      { $defs: { Y: object({ y: { type: 'string' } }, { required: ['y'] }) } },
    ),
    object({ a: object({ y: { type: 'string' }, x: { type: 'string' } }, { required: ['y', 'x'] }) }),
  ),
  schema(
    'exclusive bounds',
    object({
      a: { type: 'integer', exclusiveMinimum: 1, exclusiveMaximum: 9 },
      b: { type: 'number', exclusiveMinimum: 0.5 },
      c: { type: 'integer', minimum: 1, exclusiveMinimum: true },
    }),
    object({ a: { type: 'integer', minimum: 2, maximum: 8 }, b: { type: 'number', minimum: 0.5 }, c: { type: 'integer', minimum: 1 } }),
  ),
  schema(
    'const and enum',
    object({ a: { const: 'x' }, b: { enum: [1, 2] }, c: { type: 'string', enum: ['', 'y', null] }, d: { enum: ['a', 1] } }),
    object({
      a: { type: 'string', enum: ['x'] },
      b: { type: 'integer' },
      c: { type: 'string', nullable: true, enum: ['y'] },
      d: { type: 'string', enum: ['a', '1'] },
    }),
  ),
  schema(
    'formats',
    object({ a: { type: 'string', format: 'date-time' }, b: { type: 'string', format: 'email' }, c: { type: 'integer', format: 'int64' } }),
    object({ a: { type: 'string', format: 'date-time' }, b: { type: 'string' }, c: { type: 'integer', format: 'int64' } }),
  ),
  schema(
    'arrays always have items',
    object({
      a: { type: 'array' },
      b: { type: 'array', items: {} },
      c: { items: { type: 'integer' }, uniqueItems: true },
      d: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] },
    }),
    object({
      a: { type: 'array', items: { type: 'string' } },
      b: { type: 'array', items: { type: 'string' } },
      c: { type: 'array', items: { type: 'integer' } },
      d: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'integer' }] } },
    }),
  ),
  schema(
    'boolean schemas',
    object({ a: true, b: false }, { required: ['a', 'b'] }),
    object({ a: { type: 'string' } }, { required: ['a'] }),
  ),
  schema(
    'nested objects without properties',
    object({ a: { type: 'object', properties: {}, additionalProperties: { type: 'string' } } }),
    object({ a: { type: 'object' } }),
  ),
  schema('types in capitals', { type: 'OBJECT', properties: { a: { type: 'STRING' } } }, object({ a: { type: 'string' } })),
  {
    ...fields(
      'original schemas',
      {
        tools: [functionTool('f', { parameters: { ...params, additionalProperties: false } })],
        response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object', $defs: {} } } },
      },
      {
        tools: [declared({ name: 'f', parametersJsonSchema: { ...params, additionalProperties: false } })],
        generationConfig: { responseMimeType: 'application/json', responseJsonSchema: { type: 'object', $defs: {} } },
      },
    ),
    settings: { region: 'us-central1', project: 'p1', schemas: 'original' },
  },
];

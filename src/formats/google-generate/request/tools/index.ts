import { isJsonObject, type JsonObject } from '../../../../core/json/merge.ts';
import { objectOf, objectsIn, textOf } from '../../../shared/json.ts';
import { unsupportedParameter } from '../../../shared/request/parameter-errors.ts';
import { type GenerateConversion, hasAny, oneOf } from '../conversion.ts';
import { toServedSchema } from '../../schema/index.ts';
import { type BuiltIn, builtIn, isDated, isForeignTool } from './built-in.ts';

/** Tools in the service's form, and what its `toolConfig` depends on. */
export interface ServedTools {
  readonly tools: readonly JsonObject[];
  /** Names of the declared functions, in order. */
  readonly names: readonly string[];
  readonly retrievalConfig: JsonObject | undefined;
}

/**
 * Converts tools: all functions into one tool, each built-in tool into its own. Combinations are sent as requested, because only
 * the service knows which models accept them.
 *
 * @throws GatewayError for a function without a name
 */
export function toServedTools(body: JsonObject, conversion: GenerateConversion): ServedTools {
  if (!hasAny(body, toolFields)) return noTools;
  const declarations: JsonObject[] = [];
  const others: JsonObject[] = [];
  let retrievalConfig: JsonObject | undefined;
  for (const [at, tool] of toolEntries(body)) {
    const known = builtIn(tool);
    if (known !== undefined) {
      reportLosses(tool, conversion);
      others.push(known.tool);
      retrievalConfig ??= known.retrievalConfig;
    } else if (tool['type'] === 'custom') conversion.drops.add('tools[].custom', 'this service has no tools with free text input');
    else if (isForeignTool(tool)) conversion.drops.add(`tools[].${String(tool['type'])}`, 'only another service has this tool');
    else declarations.push(declaration(tool, at, conversion));
  }
  const search = body['web_search_options'];
  if (isJsonObject(search)) {
    conversion.drops.addUnread(search, noMembers, 'web_search_options.');
    if (!others.some(isSearch)) others.push({ googleSearch: {} });
  }
  const functions = declarations.length === 0 ? [] : [{ functionDeclarations: declarations }];
  return { tools: [...functions, ...others], names: declarations.map(({ name }) => String(name)), retrievalConfig };
}

/** Reports options of Anthropic's tools that their equivalents here do not support. */
function reportLosses(tool: JsonObject, { drops }: GenerateConversion): void {
  if (isDated(tool)) drops.addUnread(tool, nameMembers, `tools[].${String(tool['type'])}.`);
}

const nameMembers: ReadonlySet<string> = new Set(['type', 'name']);
const noMembers: ReadonlySet<string> = new Set();

const toolFields: ReadonlySet<string> = new Set(['tools', 'functions', 'web_search_options']);
const noTools: ServedTools = Object.freeze({ tools: [], names: [], retrievalConfig: undefined });

const isSearch = (tool: BuiltIn['tool']): boolean => tool['googleSearch'] !== undefined || tool['googleSearchRetrieval'] !== undefined;

/** Iterates over `tools` and the legacy `functions`. */
function* toolEntries({ tools, functions }: JsonObject): Iterable<readonly [at: string, tool: JsonObject]> {
  for (const [index, tool] of objectsIn(tools).entries()) yield [`tools[${index}]`, tool];
  for (const [index, fn] of objectsIn(functions).entries()) yield [`functions[${index}]`, { type: 'function', function: fn }];
}

const toolMembers: ReadonlySet<string> = new Set(['type', 'function', 'cache_control']);
const functionMembers: ReadonlySet<string> = new Set([
  'type',
  'name',
  'description',
  'parameters',
  'input_schema',
  'strict',
  'cache_control',
]);

function declaration(tool: JsonObject, at: string, conversion: GenerateConversion): JsonObject {
  const fn = isJsonObject(tool['function']) ? tool['function'] : tool;
  const name = textOf(fn['name']);
  if (name === undefined)
    throw unsupportedParameter(`${at}.function.name`, 'The tool has no name, or a type that this provider does not support.');
  if (fn['strict'] === true) conversion.drops.add('tools[].function.strict');
  if ((tool['cache_control'] ?? undefined) !== undefined) conversion.drops.add('tools[].cache_control', 'this service caches by itself');
  conversion.drops.addUnread(fn, functionMembers, 'tools[].function.');
  if (fn !== tool) conversion.drops.addUnread(tool, toolMembers, 'tools[].');
  const description = textOf(fn['description']);
  return { name, ...(description === undefined ? {} : { description }), ...parametersOf(fn, conversion) };
}

/** Omits the schema of functions without parameters, because older models reject empty objects. */
function parametersOf(fn: JsonObject, { options, drops }: GenerateConversion): JsonObject {
  const schema = oneOf(fn, ['parameters', 'input_schema']);
  if (!isJsonObject(schema)) {
    if (schema !== undefined) drops.add('tools[].function.parameters', 'not an object');
    return {};
  }
  if (allowsNothing(schema)) return {};
  if (options.schemas === 'original') return { parametersJsonSchema: schema };
  const parameters = toServedSchema(schema, (keyword) => drops.add(`tools[].function.parameters.${keyword}`));
  return parameters === undefined || (parameters['type'] === 'object' && parameters['properties'] === undefined) ? {} : { parameters };
}

/** True for an object without properties, unless they are defined elsewhere or may have any name. */
const allowsNothing = (schema: JsonObject): boolean =>
  Object.keys(objectOf(schema['properties'])).length === 0 && propertySources.every((key) => !schema[key]);

const propertySources = ['$ref', 'anyOf', 'oneOf', 'allOf', 'additionalProperties', 'patternProperties'] as const;

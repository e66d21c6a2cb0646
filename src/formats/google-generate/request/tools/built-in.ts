import { responsesTools } from '../../../shared/request/tools.ts';
import { isJsonObject, type JsonObject } from '../../../../core/json/merge.ts';
import { objectOf } from '../../../shared/json.ts';

/** A tool that runs at the service. */
export interface BuiltIn {
  readonly tool: JsonObject;
  /** The user's location, for maps. It is sent in `toolConfig`. */
  readonly retrievalConfig?: JsonObject;
}

/** Member of the upstream tool object by the names that clients use. */
const members: Readonly<Record<string, string>> = {
  vendor_search: 'googleSearch',
  google_search: 'googleSearch',
  googleSearch: 'googleSearch',
  vendor_search_retrieval: 'googleSearchRetrieval',
  google_search_retrieval: 'googleSearchRetrieval',
  googleSearchRetrieval: 'googleSearchRetrieval',
  google_maps: 'googleMaps',
  googleMaps: 'googleMaps',
  code_execution: 'codeExecution',
  codeExecution: 'codeExecution',
  url_context: 'urlContext',
  urlContext: 'urlContext',
  enterprise_web_search: 'enterpriseWebSearch',
  enterpriseWebSearch: 'enterpriseWebSearch',
  computer_use: 'computerUse',
  computerUse: 'computerUse',
  retrieval: 'retrieval',
  file_search: 'fileSearch',
  fileSearch: 'fileSearch',
};

/** Tools of Anthropic's API for which this service has an equivalent. Their options are not supported. */
const counterparts: readonly (readonly [type: RegExp, name: string])[] = [
  [/^web_search_\d{8}$/, 'google_search'],
  [/^web_fetch_\d{8}$/, 'url_context'],
  [/^code_execution_\d{8}$/, 'code_execution'],
];

/** True for one of these tools. */
export const isDated = ({ type, function: fn }: JsonObject): boolean =>
  fn === undefined && typeof type === 'string' && counterparts.some(([name]) => name.test(type));

/** True for a tool that only another service has: with a dated name, or for an MCP server or tool search, or one of OpenAI. */
export const isForeignTool = ({ type, function: fn }: JsonObject): boolean =>
  fn === undefined && typeof type === 'string' && (/_\d{8}$|^mcp_toolset$|^tool_search_tool_/.test(type) || ofResponses.has(type));

const ofResponses: ReadonlySet<string> = new Set(responsesTools);

/**
 * Converts a built-in tool in any spelling: `{type: 'function', function: {name: 'vendor_search', parameters: {…options}}}`,
 * `{type: 'google_search', …}` or the service's own `{googleSearch: {…}}`. Undefined for the client's own functions, which may
 * have such a name if they define parameters.
 */
export function builtIn(tool: JsonObject): BuiltIn | undefined {
  const fn = isJsonObject(tool['function']) ? tool['function'] : undefined;
  if (fn !== undefined) {
    const name = String(fn['name']);
    if (!Object.hasOwn(members, name)) return undefined;
    const parameters = objectOf(fn['parameters']);
    if (!name.startsWith('vendor_') && isOwnSchema(parameters)) return undefined;
    return builtInTool(name, isSchema(parameters) ? {} : parameters);
  }
  const { type: written } = tool;
  const dated = typeof written === 'string' ? counterparts.find(([name]) => name.test(written))?.[1] : undefined;
  if (dated !== undefined) return builtInTool(dated, {});
  const type =
    typeof written === 'string' ? written : Object.keys(tool).find((key) => Object.hasOwn(members, key) && isJsonObject(tool[key]));
  if (type === undefined || !Object.hasOwn(members, type)) return undefined;
  const member = members[type] ?? '';
  const { type: _type, ...beside } = tool;
  const inner = [tool[type], tool[member]].find(isJsonObject);
  return builtInTool(type, inner ?? beside);
}

/** Distinguishes a JSON Schema from the options of a built-in tool. */
const isSchema = (parameters: JsonObject): boolean => parameters['type'] !== undefined || parameters['properties'] !== undefined;

const isOwnSchema = (parameters: JsonObject): boolean =>
  isJsonObject(parameters['properties']) && Object.keys(parameters['properties']).length > 0;

function builtInTool(name: string, options: JsonObject): BuiltIn {
  const member = members[name] ?? '';
  if (member === 'googleSearchRetrieval') return { tool: { [member]: retrieval(options) } };
  if (member === 'googleMaps') return maps(options);
  if (member === 'computerUse') return { tool: { [member]: { environment: 'ENVIRONMENT_BROWSER', ...options } } };
  return { tool: { [member]: options } };
}

/** `dynamicRetrievalConfig` may have either spelling, or its members may be given directly. */
function retrieval(options: JsonObject): JsonObject {
  if (options['mode'] !== undefined || options['dynamicThreshold'] !== undefined || options['dynamic_threshold'] !== undefined) {
    return { dynamicRetrievalConfig: options };
  }
  return options;
}

/** Separates the user's location, which is not an option of the tool. */
function maps(options: JsonObject): BuiltIn {
  const { retrievalConfig, retrieval_config, latLng, lat_lng, languageCode, language_code, ...rest } = options;
  const latLngValue = latLng ?? lat_lng;
  const language = languageCode ?? language_code;
  const open = {
    ...(isJsonObject(latLngValue) ? { latLng: latLngValue } : {}),
    ...(language === undefined ? {} : { languageCode: language }),
  };
  const config = [retrievalConfig, retrieval_config].find(isJsonObject) ?? (Object.keys(open).length === 0 ? undefined : open);
  const tool = { googleMaps: rest };
  return config === undefined ? { tool } : { tool, retrievalConfig: config };
}

import { isJsonObject } from '../../../core/json/merge.ts';

/** Tools that OpenAI's responses API runs. Clients and configs that also use that API send them in chats. */
export const responsesTools = [
  'web_search',
  'web_search_preview',
  'code_interpreter',
  'image_generation',
  'computer_use_preview',
  'local_shell',
  'mcp',
] as const;

const searchTools: ReadonlySet<string> = new Set(['vendor_search', 'vendor_search_retrieval', 'google_search', 'google_search_retrieval']);

/** True for the gateway's search tools. A client's own function that is called `google_search` has parameters. */
export function isSearchTool(tool: unknown): boolean {
  if (!isJsonObject(tool)) return false;
  const fn = tool['function'];
  const name = isJsonObject(fn) ? fn['name'] : tool['type'];
  if (typeof name !== 'string' || !searchTools.has(name)) return false;
  return name.startsWith('vendor_') || !isJsonObject(fn) || fn['parameters'] === undefined;
}

/**
 * True if a request offers a tool of this name that is not one of the client's own functions. A service that lacks the tool
 * cannot be forced to use it.
 */
export const isNonFunctionTool = (tools: unknown, name: unknown): boolean =>
  Array.isArray(tools) &&
  tools.some((tool: unknown) => {
    if (!isJsonObject(tool) || isJsonObject(tool['function'])) return false;
    const definition = isJsonObject(tool['custom']) ? tool['custom'] : tool;
    return definition['name'] !== undefined && definition['name'] === name;
  });

/** The name of a call of an earlier turn whose name is empty: some models write such calls, and services reject them. */
export const missingName = 'tool';

/** The reason why `tool_choice` is dropped in this case. */
export const missingToolReason = 'this service does not have the tool that it names';

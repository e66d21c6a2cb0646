import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import { listOf } from '../shared/json.ts';
import { unsupportedParameter } from '../shared/request/parameter-errors.ts';

/** The tool names that a service accepts. */
export interface NameRule {
  readonly accepts: RegExp;
  /** Maximum length in characters. */
  readonly max: number;
}

/** OpenAI's reference, "tools", and Bedrock, ToolSpecification: both have the same rule. */
export const openaiNames: NameRule = { accepts: /^[\w-]{1,64}$/, max: 64 };
/** Messages API, "tools": its error messages contain the pattern. */
export const anthropicNames: NameRule = { accepts: /^[\w-]{1,128}$/, max: 128 };
/** Gemini API and Vertex AI, FunctionDeclaration. */
export const geminiNames: NameRule = { accepts: /^[A-Za-z_][\w.:-]{0,63}$/, max: 64 };
export const vertexNames: NameRule = { accepts: /^[A-Za-z_][\w.:-]{0,127}$/, max: 128 };

/** Length of the hash that makes shortened names unique, in characters: 60 bits. */
const hashLength = 10;

/** Maps from the client's tool names to the names used at the service, and back. */
export interface ToolNames {
  readonly toService: ReadonlyMap<string, string>;
  readonly toClient: ReadonlyMap<string, string>;
}

/**
 * Finds the tools of a chat whose names the service does not accept, including tools that only earlier turns have called;
 * undefined if there are none. The replacement depends only on the name, so that later turns use the same one and the service's
 * cache still matches.
 */
export function toolNames({ tools, functions, messages }: JsonObject, { accepts, max }: NameRule): ToolNames | undefined {
  let toService: Map<string, string> | undefined;
  const note = (holder: unknown): void => {
    const name = nameIn(holder);
    if (name !== undefined && !accepts.test(name)) (toService ??= new Map()).set(name, acceptedName(name, max));
  };
  listOf(tools).forEach(note);
  listOf(functions).forEach(note);
  for (const message of listOf(messages)) if (isJsonObject(message)) callsIn(message).forEach(note);
  if (toService === undefined) return undefined;
  return { toService, toClient: new Map([...toService].map(([own, other]) => [other, own])) };
}

/**
 * Checks the names of a line of a batch. They cannot be replaced, because the output is read without the request, from which the
 * client's names would be restored.
 *
 * @throws GatewayError `unsupported_parameter`
 */
export function checkToolNames(body: JsonObject, rule: NameRule): void {
  const [name] = toolNames(body, rule)?.toService.keys() ?? [];
  if (name === undefined) return;
  throw unsupportedParameter(
    'body.tools',
    `the service does not accept the tool name "${name.slice(0, 100)}"`,
    `Use a name that matches ${rule.accepts.source}.`,
  );
}

/** Makes an accepted name: the readable part as long as the limit allows, followed by a hash of the whole name. */
function acceptedName(name: string, max: number): string {
  const bare = name.replaceAll(/[^\w-]/g, '_').replace(/^(?![A-Za-z_])/, '_');
  const hash = createHash('sha256').update(name).digest('base64url');
  return `${bare.slice(0, max - hashLength - 1)}_${hash.slice(0, hashLength)}`;
}

/** Returns the object that has the name of a client's tool. Tools that the service defines keep their name. */
export function holderOf(tool: JsonObject): JsonObject | undefined {
  const inner = [tool['function'], tool['custom']].find(isJsonObject);
  if (inner !== undefined) return inner;
  const { type } = tool;
  return type === undefined || type === 'function' || type === 'custom' ? tool : undefined;
}

/** Returns the calls of a turn, in each of the places that `request.ts` rewrites. A result has the name of its call. */
function callsIn({ tool_calls: calls, function_call: call, content, content_blocks: blocks }: JsonObject): readonly unknown[] {
  const isCall = (block: unknown): boolean => isJsonObject(block) && block['type'] === 'tool_use';
  const made = [...listOf(content), ...listOf(blocks)].filter(isCall);
  return [...listOf(calls), call, ...made.map((block) => ({ function: block }))];
}

function nameIn(tool: unknown): string | undefined {
  const name = isJsonObject(tool) ? holderOf(tool)?.['name'] : undefined;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

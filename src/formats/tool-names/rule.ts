import { createHash } from 'node:crypto';
import { isPlain, type Plain } from '../../core/json/merge.ts';

/** Which names of tools a service accepts. */
export interface NameRule {
  readonly accepts: RegExp;
  /** Characters. */
  readonly max: number;
}

/** OpenAI's reference, "tools"; Bedrock, ToolSpecification: both have the same. */
export const openaiNames: NameRule = { accepts: /^[\w-]{1,64}$/, max: 64 };
/** Messages API, "tools": error messages show the pattern. */
export const anthropicNames: NameRule = { accepts: /^[\w-]{1,128}$/, max: 128 };
/** Gemini API and Vertex AI, FunctionDeclaration. */
export const geminiNames: NameRule = { accepts: /^[A-Za-z_][\w.:-]{0,63}$/, max: 64 };
export const vertexNames: NameRule = { accepts: /^[A-Za-z_][\w.:-]{0,127}$/, max: 128 };

/** Characters of the mark that tells two shortened names apart: 60 bits. */
const mark = 10;

/** Names in use at the service by the client's own, and back. */
export interface ToolNames {
  readonly toService: ReadonlyMap<string, string>;
  readonly toClient: ReadonlyMap<string, string>;
}

/**
 * The tools of a chat whose names the service does not accept, those included that only earlier turns have called; undefined
 * where there are none. What becomes of a name depends on nothing but the name, so that later turns, and what a service
 * caches of them, have the same.
 */
export function toolNames({ tools, functions, messages }: Plain, { accepts, max }: NameRule): ToolNames | undefined {
  let toService: Map<string, string> | undefined;
  const note = (holder: unknown): void => {
    const name = nameIn(holder);
    if (name !== undefined && !accepts.test(name)) (toService ??= new Map()).set(name, accepted(name, max));
  };
  listOf(tools).forEach(note);
  listOf(functions).forEach(note);
  for (const message of listOf(messages)) if (isPlain(message)) callsIn(message).forEach(note);
  if (toService === undefined) return undefined;
  return { toService, toClient: new Map([...toService].map(([own, other]) => [other, own])) };
}

/** Readable as far as there is room, with a mark of the whole name behind it. */
function accepted(name: string, max: number): string {
  const bare = name.replaceAll(/[^\w-]/g, '_').replace(/^(?![A-Za-z_])/, '_');
  const hash = createHash('sha256').update(name).digest('base64url');
  return `${bare.slice(0, max - mark - 1)}_${hash.slice(0, mark)}`;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

/** Where a tool of the client has its name; tools that a service defines are known to it by theirs. */
export function holderOf(tool: Plain): Plain | undefined {
  const inner = [tool['function'], tool['custom']].find(isPlain);
  if (inner !== undefined) return inner;
  const { type } = tool;
  return type === undefined || type === 'function' || type === 'custom' ? tool : undefined;
}

/** Calls of a turn, in each of the places that `request.ts` writes; a result has the name of the call that it is for. */
function callsIn({ tool_calls: calls, function_call: call, content, content_blocks: blocks }: Plain): readonly unknown[] {
  const isCall = (block: unknown): boolean => isPlain(block) && block['type'] === 'tool_use';
  const made = [...listOf(content), ...listOf(blocks)].filter(isCall);
  return [...listOf(calls), call, ...made.map((block) => ({ function: block }))];
}

function nameIn(tool: unknown): string | undefined {
  const name = isPlain(tool) ? holderOf(tool)?.['name'] : undefined;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

import type { BodyPatch, JsonBody } from '../../core/json/body.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import { holderOf, type ToolNames } from './rule.ts';

type Names = ToolNames['toService'];

/** Members of a chat body that contain tool names. */
const members = ['tools', 'functions', 'tool_choice', 'function_call', 'messages'] as const;

/** Replaces the tool names of a chat body by names that its service accepts. All other bytes are unchanged. */
export const withServiceNames = (body: JsonBody, { toService }: ToolNames): JsonBody =>
  body.edit(patchOf((key) => (body.has(key) ? body.exact(key) : undefined), toService));

/** Like `withServiceNames`, for an object. */
export const objectWithServiceNames = (body: JsonObject, { toService }: ToolNames): JsonObject => ({
  ...body,
  ...Object.fromEntries(patchOf((key) => body[key], toService)),
});

function patchOf(read: (key: string) => unknown, names: Names): BodyPatch {
  const patch = new Map<string, unknown>();
  for (const key of members) {
    const value = read(key);
    if (value !== undefined) patch.set(key, key === 'messages' ? each(value, (one) => messageWith(one, names)) : namedWith(value, names));
  }
  return patch;
}

const each = (value: unknown, change: (one: JsonObject) => JsonObject): unknown =>
  Array.isArray(value) ? (value as unknown[]).map((one) => (isJsonObject(one) ? change(one) : one)) : value;

/** Renames tools, and choices of one or several tools, in each of their forms. */
function namedWith(value: unknown, names: Names): unknown {
  if (Array.isArray(value)) return each(value, (one) => (holderOf(one) === undefined ? one : callWith(one, names)));
  if (!isJsonObject(value)) return value;
  const { allowed_tools: allowed, tools } = value;
  return {
    ...callWith(value, names),
    ...(isJsonObject(allowed) ? { allowed_tools: { ...allowed, tools: namedWith(allowed['tools'], names) } } : {}),
    ...(tools === undefined ? {} : { tools: namedWith(tools, names) }),
  };
}

/** Renames an object that has a name itself or in a nested object. */
export function callWith(call: JsonObject, names: Names): JsonObject {
  const inner = (['function', 'custom'] as const).find((key) => isJsonObject(call[key]));
  if (inner !== undefined) return { ...call, [inner]: callWith(call[inner] as JsonObject, names) };
  const name = typeof call['name'] === 'string' ? names.get(call['name']) : undefined;
  return name === undefined ? call : { ...call, name };
}

function messageWith(message: JsonObject, names: Names): JsonObject {
  const { role, tool_calls: calls, function_call: call } = message;
  // Messages of other roles have the name of a participant here.
  const base = role === 'tool' || role === 'function' ? callWith(message, names) : message;
  return {
    ...base,
    ...(calls === undefined ? {} : { tool_calls: each(calls, (one) => callWith(one, names)) }),
    ...(isJsonObject(call) ? { function_call: callWith(call, names) } : {}),
    ...blocksWith(message, names),
  };
}

/** Renames content blocks that are tool calls. */
export function blocksWith(message: JsonObject, names: Names): JsonObject {
  const out: Record<string, unknown> = {};
  for (const key of ['content', 'content_blocks'] as const) {
    const value = message[key];
    if (Array.isArray(value)) out[key] = each(value, (one) => (one['type'] === 'tool_use' ? callWith(one, names) : one));
  }
  return out;
}

import type { JsonBody } from '#core/body.ts';
import { isPlain, type Plain } from '#core/merge.ts';
import type { Dropped } from '#core/provider.ts';
import { reasoningNames } from './reasoning.ts';

/**
 * The gateway's own fields in chat bodies: a closed list, so that every other unknown field passes.
 * Services that check their input refuse them with 400.
 */
const topLevel = ['labels', 'thinking', 'safety_settings', 'image_config', 'anthropic_beta', 'anthropic_version', 'vendor_beta'] as const;

/**
 * Ends of the names of nested extensions. Every chat request is searched for them, so each begins with a letter that is
 * rare in prose: that is what makes the search cheap. A hit is worth a parse, which then decides.
 */
const nestedHints = ['_blocks"', '_signature"', '_control"', '_search', 'king"', '_content"', 'reasoning"'] as const;

const searchTools: ReadonlySet<string> = new Set(['vendor_search', 'vendor_search_retrieval', 'google_search', 'google_search_retrieval']);

const reason = 'not known to this service';

/**
 * The body without the gateway's own fields, and what was taken out. The same body when there was none.
 * @param keepsReasoning the service reads thoughts in assistant messages
 */
export function dropExtensions(body: JsonBody, keepsReasoning = false): { readonly body: JsonBody; readonly dropped: readonly Dropped[] } {
  const patch = new Map<string, unknown>();
  const names = new Set<string>();
  for (const name of topLevel) {
    if (!body.has(name)) continue;
    patch.set(name, undefined);
    names.add(name);
  }
  if (nestedHints.some((hint) => body.mentions(hint))) dropNested(body, patch, names, keepsReasoning);
  return patch.size === 0 ? { body, dropped: [] } : { body: body.edit(patch), dropped: [...names].map((param) => ({ param, reason })) };
}

function dropNested(body: JsonBody, patch: Map<string, unknown>, names: Set<string>, keepsReasoning: boolean): void {
  const before = names.size;
  const messages = body.value('messages');
  if (Array.isArray(messages)) {
    const kept = messages.map((message: unknown) => (isPlain(message) ? cleanMessage(message, names, keepsReasoning) : message));
    if (names.size > before) patch.set('messages', kept);
  }
  const tools = body.value('tools');
  if (!Array.isArray(tools)) return;
  const found = names.size;
  const kept = tools
    .filter((tool) => !isSearchTool(tool))
    .map((tool: unknown) => (isPlain(tool) ? without(tool, 'cache_control', 'tools[].cache_control', names) : tool));
  if (kept.length < tools.length) names.add('tools[].vendor_search');
  if (names.size === found) return;
  patch.set('tools', kept.length === 0 ? undefined : kept);
  // Both are refused when there are no tools.
  if (kept.length === 0) for (const name of ['tool_choice', 'parallel_tool_calls']) if (body.has(name)) patch.set(name, undefined);
}

function cleanMessage(message: Plain, names: Set<string>, keepsReasoning: boolean): Plain {
  const clean = without(
    without(message, 'content_blocks', 'messages[].content_blocks', names),
    'cache_control',
    'messages[].cache_control',
    names,
  );
  const out: Record<string, unknown> = { ...(keepsReasoning ? clean : withoutReasoning(clean, names)) };
  if (Array.isArray(clean['content'])) out['content'] = cleanParts(clean['content'], clean, names);
  if (Array.isArray(clean['tool_calls']))
    out['tool_calls'] = clean['tool_calls'].map((call: unknown) => (isPlain(call) ? cleanCall(call, names) : call));
  return out;
}

function withoutReasoning(message: Plain, names: Set<string>): Plain {
  if (message['role'] !== 'assistant') return message;
  return reasoningNames.reduce<Plain>((left, key) => without(left, key, `messages[].${key}`, names), message);
}

function cleanParts(parts: readonly unknown[], message: Plain, names: Set<string>): unknown {
  const kept: unknown[] = [];
  for (const part of parts) {
    const type = isPlain(part) ? part['type'] : undefined;
    if (message['role'] === 'assistant' && (type === 'thinking' || type === 'redacted_thinking')) names.add(`messages[].content[].${type}`);
    else kept.push(isPlain(part) ? without(part, 'cache_control', 'messages[].content[].cache_control', names) : part);
  }
  if (kept.length > 0 || parts.length === 0) return kept;
  return Array.isArray(message['tool_calls']) ? null : '';
}

function cleanCall(call: Plain, names: Set<string>): Plain {
  const name = 'messages[].tool_calls[].thought_signature';
  const clean = without(call, 'thought_signature', name, names);
  return isPlain(clean['function']) ? { ...clean, function: without(clean['function'], 'thought_signature', name, names) } : clean;
}

function without(object: Plain, key: string, name: string, names: Set<string>): Plain {
  if (!Object.hasOwn(object, key)) return object;
  names.add(name);
  const { [key]: _gone, ...rest } = object;
  return rest;
}

/** A search tool of ours; a function of the caller's own that happens to be called `google_search` has parameters. */
function isSearchTool(tool: unknown): boolean {
  if (!isPlain(tool)) return false;
  const fn = tool['function'];
  const name = isPlain(fn) ? fn['name'] : tool['type'];
  if (typeof name !== 'string' || !searchTools.has(name)) return false;
  return name.startsWith('vendor_') || !isPlain(fn) || fn['parameters'] === undefined;
}

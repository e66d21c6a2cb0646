import { isJsonObject, type JsonObject } from '../../../../core/json/merge.ts';
import { stringOf, textOf } from '../../../shared/json.ts';
import type { AssistantPiece } from './calls.ts';
import type { Block, MessagesConversion } from '../conversion.ts';

/** Members of blocks of the API's own tools. */
const members: ReadonlySet<string> = new Set([
  'type',
  'id',
  'name',
  'input',
  'server_name',
  'tool_use_id',
  'content',
  'is_error',
  'caller',
  'cache_control',
  'encrypted_content',
  'signature',
  'file_id',
  'tool_changes',
  'mcp_server_name',
  'tools',
]);

const isServerToolUse = (type: unknown): boolean => type === 'server_tool_use' || type === 'mcp_tool_use';
const isServerToolResult = (type: unknown): boolean => typeof type === 'string' && type !== 'tool_result' && type.endsWith('_tool_result');

/** True if steps of this tool may be sent back in this request. */
function isAvailable(name: string, { surface, offered }: MessagesConversion): boolean {
  // Results of a tool search refer to tools of the request, and MCP steps to a server of the request.
  if (name.startsWith('tool_search')) return offered.has('tool_search');
  if (surface === 'converse') return false;
  if (surface === 'vertex') return name === 'web_search';
  return name === 'web_search' || name === 'web_fetch' || offered.has(name);
}

/** Converts a block of an assistant that is not text, thinking or a call: steps of the API's own tools are sent back, files are not. */
export function serverBlock(type: string, part: JsonObject, conversion: MessagesConversion): Block | undefined {
  const { drops, betas } = conversion;
  if (type === 'image_url' || type === 'input_audio' || type === 'file' || type === 'image' || type === 'document') {
    drops.add(`messages[].content[].${type}`, 'assistant messages cannot contain files on this service');
    return undefined;
  }
  const isSummary = type === 'compaction' && conversion.surface !== 'converse';
  const isListing = type === 'mcp_tool_listing' && isAvailable(`mcp:${stringOf(part['mcp_server_name'])}`, conversion);
  if (!isServerToolUse(type) && !isServerToolResult(type) && !isSummary && !isListing) {
    drops.add(`messages[].content[].${type}`);
    return undefined;
  }
  if (isSummary) {
    if (textOf(part['content']) === undefined && textOf(part['encrypted_content']) === undefined) {
      drops.add('messages[].content[].compaction', 'the block is empty');
      return undefined;
    }
    betas.add('compact-2026-01-12');
  }
  drops.addUnread(part, new Set([...members, 'index']), `messages[].content[].${type}.`);
  return Object.fromEntries(Object.entries(part).filter(([key]) => members.has(key)));
}

/**
 * Keeps only complete pairs of steps of the API's own tools: the API rejects a use without its result, and a result without its
 * use. The last turn may end with a use, from which the API continues.
 */
export function pairedBlocks(
  pieces: readonly AssistantPiece[],
  conversion: MessagesConversion,
  isLast: boolean,
): readonly AssistantPiece[] {
  const used = new Map<unknown, string>();
  const answered = new Set<unknown>();
  for (const piece of pieces) {
    if (!('block' in piece)) continue;
    const { type, id, name, server_name: server, tool_use_id: use } = piece.block;
    if (isServerToolUse(type)) used.set(id, type === 'mcp_tool_use' ? `mcp:${stringOf(server)}` : stringOf(name));
    else if (isServerToolResult(type) && (used.has(use) || conversion.programs.has(use))) answered.add(use);
  }
  const calling = new Set<unknown>(pieces.map(programOf).filter((id) => id !== undefined));
  if (used.size === 0 && calling.size === 0 && !pieces.some((piece) => 'block' in piece && isServerToolResult(piece.block['type'])))
    return pieces;
  const end = pieces.at(-1);
  const open = isLast && end !== undefined && 'block' in end && isServerToolUse(end.block['type']) ? end.block['id'] : undefined;
  const retained = pieces.filter((piece) => 'called' in piece || isRetained(piece.block, { used, answered, open, calling }, conversion));
  for (const piece of retained) {
    const id = 'block' in piece ? piece.block['id'] : undefined;
    if (calling.has(id)) conversion.programs.set(id, used.get(id) ?? '');
  }
  return calling.size === 0 ? retained : retained.map((piece) => withKnownCaller(piece, conversion));
}

/** Returns the id of the step that made a call, if it is code that runs at the API. */
function programOf(piece: AssistantPiece): unknown {
  const caller = 'called' in piece ? piece.called.extra['caller'] : undefined;
  return isJsonObject(caller) ? caller['tool_id'] : undefined;
}

/** A call may refer only to code that is in the request. */
function withKnownCaller(piece: AssistantPiece, { programs, drops }: MessagesConversion): AssistantPiece {
  const program = programOf(piece);
  if (!('called' in piece) || program === undefined || programs.has(program)) return piece;
  drops.add('messages[].tool_calls[].caller', 'the step that made the call is not in this request');
  const { caller: _caller, ...extra } = piece.called.extra;
  return { called: { ...piece.called, extra } };
}

interface Steps {
  /** The name of the tool, by the id of its use. */
  readonly used: ReadonlyMap<unknown, string>;
  readonly answered: ReadonlySet<unknown>;
  /** The use at the end of the last turn. */
  readonly open: unknown;
  /** Uses of code that called tools of the client. Their results are in a later turn. */
  readonly calling: ReadonlySet<unknown>;
}

function isRetained(block: Block, { used, answered, open, calling }: Steps, conversion: MessagesConversion): boolean {
  const { type } = block;
  if (!isServerToolUse(type) && !isServerToolResult(type)) return true;
  const id = isServerToolUse(type) ? block['id'] : block['tool_use_id'];
  const path = `messages[].content[].${String(type)}`;
  if (!answered.has(id) && !(isServerToolUse(type) && calling.has(id)) && (open === undefined || id !== open)) {
    conversion.drops.add(path, isServerToolUse(type) ? 'its result is missing' : 'its use is missing');
    return false;
  }
  const name = used.get(id) ?? conversion.programs.get(id) ?? '';
  if (!isAvailable(name, conversion)) {
    conversion.drops.add(path, 'this request does not offer the tool');
    return false;
  }
  if (name.startsWith('mcp:')) conversion.betas.add('mcp-client-2025-11-20');
  return true;
}

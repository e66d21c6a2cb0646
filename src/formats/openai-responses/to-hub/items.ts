import type { JsonObject } from '../../../core/json/merge.ts';
import { resultsFirst } from '../../history/results-first.ts';
import { stringOf, textOf } from '../../shared/json.ts';
import type { Drops } from '../../shared/request/drops.ts';
import { toolCallerOf } from '../../shared/tool-caller.ts';
import { unsupportedParameter } from '../../shared/request/parameter-errors.ts';
import { chatContent } from './parts.ts';
import { statelessError } from './stateless.ts';
import { AssistantTurn } from './turn.ts';

/** Converts input items to chat messages. Items of the assistant that follow each other become one message. @throws GatewayError */
export function chatMessages(items: readonly JsonObject[], drops: Drops): readonly JsonObject[] {
  const out: JsonObject[] = [];
  let turn = new AssistantTurn();
  const endTurn = (): void => {
    if (!turn.isEmpty) out.push(turn.message());
    turn = new AssistantTurn();
  };
  for (const [index, item] of items.entries()) {
    const at = `input[${index}]`;
    if (isMessage(item)) drops.addUnread(item, messageMembers, 'input[].');
    if (addToTurn(turn, item, at, drops)) continue;
    endTurn();
    out.push(messageOf(item, at, drops));
  }
  endTurn();
  return resultsFirst(out);
}

/** Steps of tools that OpenAI ran. Their results reached the model in another form, or are in the texts that follow. */
const servedSteps: ReadonlySet<string> = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'mcp_list_tools',
  'mcp_call',
]);

const messageMembers: ReadonlySet<string> = new Set(['type', 'id', 'role', 'content', 'status']);
const callMembers: ReadonlySet<string> = new Set(['type', 'id', 'call_id', 'name', 'arguments', 'input', 'status', 'caller']);
/** The name is also in the call. */
const outputMembers: ReadonlySet<string> = new Set(['type', 'id', 'call_id', 'output', 'status', 'name', 'namespace', 'caller']);

/** Reports what is lost of a call or its output. */
function reportUnread(item: JsonObject, read: ReadonlySet<string>, drops: Drops): void {
  const prefix = `input[].${stringOf(item['type'])}.`;
  drops.addUnread(item, read, prefix);
  if (toolCallerOf(item).caller !== undefined) drops.add(`${prefix}caller`);
}

/** Adds an item of the assistant to its turn. Returns false for items of others. */
function addToTurn(turn: AssistantTurn, item: JsonObject, at: string, drops: Drops): boolean {
  const { type, call_id: id, name } = item;
  if (type === 'function_call' || type === 'custom_tool_call') {
    reportUnread(item, callMembers, drops);
    if (type === 'function_call') turn.call(id, name, item['arguments']);
    else turn.customCall(id, name, item['input']);
  } else if (type === 'reasoning') turn.reasoning(item, drops);
  else if (type === 'image_generation_call') addImage(turn, item);
  else if (typeof type === 'string' && servedSteps.has(type)) drops.add(`input[].${type}`, 'only OpenAI has this tool');
  else if (isMessage(item) && item['role'] === 'assistant') addTexts(turn, item['content'], at, drops);
  else return false;
  return true;
}

/** An image that was not made has no content. */
function addImage(turn: AssistantTurn, { result, output_format: format }: JsonObject): void {
  if (typeof result === 'string' && result !== '') turn.image(`data:image/${textOf(format) ?? 'png'};base64,${result}`);
}

/** Some client libraries send messages without a type. */
const isMessage = ({ type, role }: JsonObject): boolean => type === 'message' || (type === undefined && role !== undefined);

function addTexts(turn: AssistantTurn, content: unknown, at: string, drops: Drops): void {
  const parts = chatContent(content, `${at}.content`, drops);
  if (typeof parts === 'string') turn.text(parts);
  else
    for (const part of parts) {
      if (part['type'] !== 'text') throw unsupportedParameter(`${at}.content`, 'A message of the assistant may contain only text.');
      turn.text(stringOf(part['text']));
    }
}

const roles: ReadonlySet<unknown> = new Set(['user', 'system', 'developer']);

function messageOf(item: JsonObject, at: string, drops: Drops): JsonObject {
  const { type, role } = item;
  if (type === 'function_call_output' || type === 'custom_tool_call_output') {
    reportUnread(item, outputMembers, drops);
    return { role: 'tool', tool_call_id: item['call_id'], content: chatContent(item['output'], `${at}.output`, drops) };
  }
  if (!isMessage(item)) throw unsupportedItem(type, at);
  if (!roles.has(role))
    throw unsupportedParameter(`${at}.role`, `The role "${textOf(role) ?? ''}" is not known.`, 'Use user, assistant, system or developer.');
  return { role, content: chatContent(item['content'], `${at}.content`, drops) };
}

/** Without these items the model would not see a part of the conversation, so they are not dropped. */
function unsupportedItem(type: unknown, at: string): Error {
  if (type === 'item_reference')
    return statelessError(at, 'This provider stores no items', 'Send the item itself: client libraries do so with "store": false.');
  return unsupportedParameter(
    `${at}.type`,
    `Items of type "${textOf(type) ?? ''}" cannot be sent to this provider.`,
    'Send messages, reasoning, function calls and their outputs.',
  );
}

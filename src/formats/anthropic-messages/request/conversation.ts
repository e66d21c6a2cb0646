import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { assistantPieces } from './assistant.ts';
import { objectsIn, stringOf } from '../../shared/json.ts';
import { textOfPart, unsupportedParameter } from '../../shared/request/parameter-errors.ts';
import { type Block, cacheControlOf, type MessagesConversion, textBlock } from './conversion.ts';
import { partBlock, partBlocks } from './parts.ts';
import { type CallKey, type Turn, TurnBuilder } from './turns.ts';

/** A conversation in the form of the API. */
export interface MessagesConversation {
  readonly system: readonly Block[];
  readonly messages: readonly Turn[];
}

/**
 * Converts the messages of a chat request: system and developer messages from any position become `system`, in order; the others
 * become turns. @throws GatewayError
 */
export function conversationOf(messages: unknown, conversion: MessagesConversion): MessagesConversation {
  const system: Block[] = [];
  const turns = new TurnBuilder(conversion.drops);
  const list = objectsIn(messages);
  try {
    for (const [index, message] of list.entries()) {
      conversion.position.toMessage(index);
      addMessage(message, index === list.length - 1, { system, turns, conversion });
    }
  } catch (thrown) {
    throw conversion.position.locate(thrown);
  }
  const done = turns.finish();
  if (done.length > 0) return { system, messages: done };
  if (system.length === 0) {
    throw unsupportedParameter('messages', 'The conversation has no content that could be sent.', 'Send at least one message with text.');
  }
  // The API requires at least one turn, so instructions alone are sent as a user message.
  return { system: [], messages: [{ role: 'user', content: system }] };
}

interface Sink {
  readonly system: Block[];
  readonly turns: TurnBuilder;
  readonly conversion: MessagesConversion;
}

function addMessage(message: JsonObject, isLast: boolean, { system, turns, conversion }: Sink): void {
  switch (message['role']) {
    case 'system':
    case 'developer':
      system.push(...systemBlocks(message, conversion));
      break;
    case 'assistant':
      turns.assistant(assistantPieces(message, conversion, isLast));
      break;
    case 'tool':
    case 'function':
      addToolMessage(message, turns, conversion);
      break;
    case 'user':
      addUser(message, turns, conversion);
      break;
    default:
      throw unsupportedParameter(
        'messages[].role',
        `The role "${stringOf(message['role'])}" is not known.`,
        'Use system, developer, user, assistant or tool.',
      );
  }
}

/** Members of messages that are converted. The API's messages have no `name`. */
const read: ReadonlySet<string> = new Set(['role', 'content', 'cache_control', 'tool_call_id', 'is_error']);
const textMembers: ReadonlySet<string> = new Set(['type', 'text', 'cache_control']);
const resultMembers: ReadonlySet<string> = new Set(['type', 'tool_use_id', 'content', 'is_error', 'cache_control']);

function systemBlocks(message: JsonObject, { drops }: MessagesConversion): readonly Block[] {
  drops.addUnread(message, read, 'messages[].');
  const { content } = message;
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : objectsIn(content);
  const blocks: Block[] = [];
  for (const part of parts) {
    if (part['type'] !== 'text')
      drops.add(`messages[].content[].${stringOf(part['type']) || 'type'}`, 'system messages can contain only text');
    else drops.addUnread(part, textMembers, 'messages[].content[].');
    const block = textBlock(textOfPart(part), part);
    if (block !== undefined) blocks.push(block);
  }
  return withCache(blocks, message);
}

/** Adds a user message. Tool results in the API's own form are matched to calls like tool messages. */
function addUser(message: JsonObject, turns: TurnBuilder, conversion: MessagesConversion): void {
  conversion.drops.addUnread(message, read, 'messages[].');
  const { content } = message;
  if (typeof content === 'string' && message['cache_control'] === undefined) {
    turns.user(content);
    return;
  }
  if (!Array.isArray(content)) {
    turns.user(withCache(partBlocks(content, conversion), message));
    return;
  }
  const blocks: Block[] = [];
  for (const [index, part] of (content as unknown[]).entries()) {
    conversion.position.toPart(index);
    if (isJsonObject(part) && part['type'] === 'tool_result') {
      conversion.drops.addUnread(part, resultMembers, 'messages[].content[].tool_result.');
      addResult({ id: stringOf(part['tool_use_id']) }, part, turns, conversion);
    } else {
      const block = partBlock(part, conversion);
      if (block !== undefined) blocks.push(block);
    }
  }
  turns.user(withCache(blocks, message));
}

function addToolMessage(message: JsonObject, turns: TurnBuilder, conversion: MessagesConversion): void {
  // Messages of the legacy role are matched by `name`, so it is not reported as dropped.
  if (message['role'] !== 'function') conversion.drops.addUnread(message, read, 'messages[].');
  const key = message['role'] === 'function' ? { name: stringOf(message['name']) } : { id: stringOf(message['tool_call_id']) };
  addResult(key, message, turns, conversion);
}

/** Adds the result that a message or a block contains to its call. */
function addResult(key: CallKey, result: JsonObject, turns: TurnBuilder, conversion: MessagesConversion): void {
  const { content } = result;
  const isText = typeof content === 'string';
  const cacheControl = isText ? undefined : lastCache(content);
  const blocks = isText ? [] : partBlocks(content, conversion).map(({ cache_control: _moved, ...block }) => block);
  const block: Block = {
    content: isText ? content : blocks,
    ...(result['is_error'] === true ? { is_error: true } : {}),
    ...(cacheControl === undefined ? {} : { cache_control: cacheControl }),
    ...cacheControlOf(result),
  };
  if (!turns.result(key, block)) addAsText(isText ? partBlocks(content, conversion) : blocks, turns, conversion);
}

/** `cache_control` of a message applies to its last block. */
function withCache(blocks: readonly Block[], message: JsonObject): readonly Block[] {
  const last = blocks.at(-1);
  return message['cache_control'] === undefined || last === undefined
    ? blocks
    : [...blocks.slice(0, -1), { ...cacheControlOf(message), ...last }];
}

/** The mark of a part moves to the whole result, because everything up to there is cached. */
function lastCache(content: unknown): unknown {
  return Array.isArray(content)
    ? content.filter(isJsonObject).findLast((part) => part['cache_control'] !== undefined)?.['cache_control']
    : undefined;
}

/** Sends a result as text if its call was cut off from the history, so that the model can still read it. */
function addAsText(blocks: readonly Block[], turns: TurnBuilder, { drops }: MessagesConversion): void {
  drops.add('messages[].tool_call_id', 'no earlier call has this id, so the result is sent as text');
  turns.user(blocks);
}

import type { JsonObject } from '../../../core/json/merge.ts';
import { type CollectCall, collectChat } from '../../openai-chat/collect.ts';
import { parseExact } from '../../../core/json/scan.ts';
import { MessagesStream } from './stream.ts';

/**
 * Converts a whole messages response to a chat completion. @param parsed the parsed text, if available
 *
 * @throws GatewayError `upstream_invalid`
 */
export const fromMessage = (text: string, call: CollectCall, parsed: unknown = parseExact(text)): JsonObject =>
  collectChat(new MessagesStream(call).whole(parsed), call, true);

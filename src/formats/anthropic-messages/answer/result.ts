import type { Plain } from '../../../core/json/merge.ts';
import { type CollectCall, collectChat } from '../../openai-chat/collect.ts';
import { parseExact } from '../../../core/json/scan.ts';
import { MessagesStream } from './stream.ts';

/**
 * A whole messages answer as a chat completion. @param parsed the same text, where it has been read already
 *
 * @throws GatewayError `upstream_invalid`
 */
export const fromMessage = (text: string, call: CollectCall, parsed: unknown = parseExact(text)): Plain =>
  collectChat(new MessagesStream(call).whole(parsed), call, true);

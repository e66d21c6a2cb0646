import type { JsonObject } from '../../../core/json/merge.ts';
import { collectChat } from '../../openai-chat/collect.ts';
import { parsedAnswer } from './parse.ts';
import { type GenerateCall, GenerateContentStream } from './stream.ts';

/**
 * Converts a whole response of `generateContent` to a chat completion. @param parsed the parsed text, if available
 *
 * @throws GatewayError `upstream_invalid` if the text is not a JSON object
 */
export const fromGenerateContent = (text: string, call: GenerateCall, parsed: unknown = parsedAnswer(text)): JsonObject =>
  collectChat(new GenerateContentStream(call).whole(parsed), call);

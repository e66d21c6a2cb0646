import type { Plain } from '../../../core/json/merge.ts';
import { collectChat } from '../../openai-chat/collect.ts';
import { parsedAnswer } from './parse.ts';
import { type AnswerCall, GenerateContentStream } from './stream.ts';

/**
 * A whole answer of `generateContent` as a chat completion. @param parsed the same text, where it has been read already
 *
 * @throws GatewayError `upstream_invalid` where the text is no JSON object
 */
export const fromGenerateContent = (text: string, call: AnswerCall, parsed: unknown = parsedAnswer(text)): Plain =>
  collectChat(new GenerateContentStream(call).whole(parsed), call);

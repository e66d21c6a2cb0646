import type { Dialect } from '../core/dialect.ts';
import type { DialectName } from '../core/endpoint.ts';
import { openaiDialect } from './openai-chat/client.ts';
import { messagesDialect } from './anthropic-messages/client.ts';
import { responsesDialect } from './openai-responses/client.ts';

/** All dialects, by the name that endpoints use. */
export const dialects: { readonly [D in DialectName]: Dialect } = Object.freeze({
  openai: openaiDialect,
  messages: messagesDialect,
  responses: responsesDialect,
});

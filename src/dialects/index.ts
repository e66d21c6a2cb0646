import type { Dialect } from '../core/dialect.ts';
import type { DialectName } from '../core/endpoint.ts';
import { openaiDialect } from './chat-completions.ts';
import { messagesDialect } from './messages.ts';

/** Every dialect by the name that endpoints give it. */
export const dialects: { readonly [D in DialectName]: Dialect } = Object.freeze({
  openai: openaiDialect,
  messages: messagesDialect,
});

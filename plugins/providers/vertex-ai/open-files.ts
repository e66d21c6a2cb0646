import type { EmptyBody, JsonBody } from '#core/json/body.ts';
import { isPlain } from '#core/json/merge.ts';
import type { FileRules } from '#formats/google-generate/request/conversion.ts';

/**
 * Chats with open models pass as they are, and some of these models read `gs://` addresses with the rights of whoever signs:
 * the same buckets may be named as everywhere else.
 *
 * @throws GatewayError `not_allowed`, `invalid_value`
 */
export function checkOpenFiles(body: JsonBody | EmptyBody, rules: FileRules | undefined): void {
  if (rules === undefined || body.kind !== 'json' || !mayNameFiles(body)) return;
  checkMessages(body.value('messages'), rules);
}

/** An address in any spelling of JSON. */
const mayNameFiles = (body: JsonBody): boolean => body.mentions(':/') || body.mentions(String.raw`:\/`) || body.mentions(String.raw`\u`);

/** The same for messages that are read already. */
export function checkMessages(messages: unknown, rules: FileRules): void {
  if (!Array.isArray(messages)) return;
  for (const [at, message] of messages.entries()) {
    const content: unknown = isPlain(message) ? message['content'] : undefined;
    if (!Array.isArray(content)) continue;
    for (const [index, part] of content.entries()) checkValue(part, `messages[${at}].content[${index}]`, rules);
  }
}

function checkValue(value: unknown, param: string, rules: FileRules): void {
  if (typeof value === 'string') {
    // Readers of URLs take blanks off, and line breaks out (WHATWG URL 4.4).
    if (/^\s*g[\t\n\r]*s[\t\n\r]*:/i.test(value)) rules.check(value.replaceAll(/[\t\n\r]/g, '').trim(), param);
  } else if (Array.isArray(value)) for (const one of value) checkValue(one, param, rules);
  // What is said is no address.
  else if (isPlain(value)) for (const [name, one] of Object.entries(value)) if (name !== 'text') checkValue(one, `${param}.${name}`, rules);
}

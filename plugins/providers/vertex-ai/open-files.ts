import type { EmptyBody, JsonBody } from '#core/json/body.ts';
import { isJsonObject } from '#core/json/merge.ts';
import type { FileRules } from '#formats/google-generate/request/conversion.ts';

/**
 * Chats with open models pass unchanged, and some of these models read `gs://` URIs with the rights of the signing credential. The
 * same bucket rules apply as for other models.
 *
 * @throws GatewayError `not_allowed`, `invalid_value`
 */
export function checkOpenFiles(body: JsonBody | EmptyBody, rules: FileRules | undefined): void {
  if (rules === undefined || body.kind !== 'json' || !mayContainUri(body)) return;
  checkMessages(body.value('messages'), rules);
}

/** True if the body may contain a URI, in any JSON escaping. */
const mayContainUri = (body: JsonBody): boolean => body.mentions(':/') || body.mentions(String.raw`:\/`) || body.mentions(String.raw`\u`);

/** The same check for parsed messages. */
export function checkMessages(messages: unknown, rules: FileRules): void {
  if (!Array.isArray(messages)) return;
  for (const [messageIndex, message] of messages.entries()) {
    const content: unknown = isJsonObject(message) ? message['content'] : undefined;
    if (!Array.isArray(content)) continue;
    for (const [index, part] of content.entries()) checkValue(part, `messages[${messageIndex}].content[${index}]`, rules);
  }
}

function checkValue(value: unknown, param: string, rules: FileRules): void {
  if (typeof value === 'string') {
    // URL parsers remove surrounding whitespace, and line breaks anywhere (WHATWG URL 4.4).
    if (!leadingG.test(value)) return;
    const address = value.replaceAll(/[\t\n\r]/g, '').replace(leadingG, 'g');
    if (/^gs:/i.test(address)) rules.check(address.trim(), param);
  } else if (Array.isArray(value)) for (const one of value) checkValue(one, param, rules);
  // Plain text is not a reference.
  else if (isJsonObject(value))
    for (const [name, one] of Object.entries(value)) if (name !== 'text') checkValue(one, `${param}.${name}`, rules);
}

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const leadingG = /^[\s\x00-\x20]*g/i;

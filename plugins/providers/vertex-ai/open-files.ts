import type { EmptyBody, JsonBody } from '#core/json/body.ts';
import { isJsonObject } from '#core/json/merge.ts';
import type { FileRules } from '#formats/google-generate/request/conversion.ts';
import { checkFileReferences } from '#formats/google-generate/request/file-references.ts';

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

/** True if the body may contain a URI, also with line breaks and tabs in it, which URL parsers remove. */
const mayContainUri = (body: JsonBody): boolean => body.mayContainUrl() || (body.mentions(':\\') && interruptedUri.test(body.oneByte));

const interruptedUri = /:(?:\\[nrt]|\\u000[9ad])+\//i;

/** The same check for parsed messages. */
export function checkMessages(messages: unknown, rules: FileRules): void {
  if (!Array.isArray(messages)) return;
  for (const [messageIndex, message] of messages.entries()) {
    const content: unknown = isJsonObject(message) ? message['content'] : undefined;
    if (!Array.isArray(content)) continue;
    for (const [index, part] of content.entries()) checkFileReferences(part, `messages[${messageIndex}].content[${index}]`, rules);
  }
}

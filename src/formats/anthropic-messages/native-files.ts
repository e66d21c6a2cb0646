import type { EmptyBody, JsonBody } from '../../core/json/body.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import type { Media, MediaNeed } from '../../core/provider.ts';
import { mediaNeeds } from './request/index.ts';
import { fileBlock } from './request/media/files.ts';
import { fileIn, retainedMembers } from './request/parts.ts';

/** Lists the files that a messages request refers to by URL, for a service that cannot fetch them. */
export function nativeFileNeeds(body: JsonBody | EmptyBody): readonly MediaNeed[] {
  return body.kind === 'json' && body.mentions('"url"') ? mediaNeeds({ messages: body.value('messages') }, 'vertex') : [];
}

/** Replaces these URLs in the messages by the downloaded content. */
export const inlineFiles = (messages: unknown, media: ReadonlyMap<string, Media>): unknown =>
  Array.isArray(messages) ? messages.map((message) => withBlocks(message, media)) : messages;

/** Inlines the files in the blocks of a message or of a tool result. */
function withBlocks(holder: unknown, media: ReadonlyMap<string, Media>): unknown {
  if (!isJsonObject(holder) || !Array.isArray(holder['content'])) return holder;
  return { ...holder, content: (holder['content'] as unknown[]).map((block) => (isJsonObject(block) ? inlineBlock(block, media) : block)) };
}

function inlineBlock(block: JsonObject, media: ReadonlyMap<string, Media>): unknown {
  if (block['type'] === 'tool_result') return withBlocks(block, media);
  const file = isJsonObject(block['source']) ? fileIn(block) : undefined;
  return file !== undefined && media.has(file.url) ? { ...fileBlock(file, { media }), ...retainedMembers(block) } : block;
}

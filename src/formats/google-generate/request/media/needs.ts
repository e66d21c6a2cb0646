import type { EmptyBody, JsonBody } from '../../../../core/json/body.ts';
import { isJsonObject } from '../../../../core/json/merge.ts';
import type { MediaNeed } from '../../../../core/provider.ts';
import { needsDownload } from './index.ts';

/** In bytes. More than the service accepts inline for any file, so the service itself enforces its limit. */
const maxBytes = 100 * 1024 * 1024;

/** Members of a content part that may contain the URL of a file. */
const holders = ['image_url', 'video_url', 'audio_url', 'document_url', 'file_url', 'file', 'source'] as const;

/** Lists the files of a chat that the API-key endpoint cannot fetch: http(s) URLs outside its own storage. */
export function developerMedia(body: JsonBody | EmptyBody): readonly MediaNeed[] {
  if (body.kind !== 'json' || !body.mayContainUrl()) return [];
  const messages = body.value('messages');
  if (!Array.isArray(messages)) return [];
  const found = new Set<string>();
  for (const message of messages as unknown[]) {
    if (!isJsonObject(message)) continue;
    for (const list of [message['content'], message['content_blocks']]) {
      if (Array.isArray(list)) for (const part of list as unknown[]) for (const url of urlsOf(part)) found.add(url);
    }
  }
  return [...found].filter(needsDownload).map((url) => ({ url, maxBytes }));
}

function* urlsOf(part: unknown): Iterable<string> {
  if (!isJsonObject(part)) return;
  if (part['type'] === 'tool_result' && Array.isArray(part['content']))
    for (const inner of part['content'] as unknown[]) yield* urlsOf(inner);
  for (const holder of holders) {
    const inner = part[holder];
    if (typeof inner === 'string') yield inner;
    if (!isJsonObject(inner)) continue;
    for (const key of ['url', 'file_url', 'file_id', 'file_uri']) {
      const url = inner[key];
      if (typeof url === 'string') yield url;
    }
  }
}

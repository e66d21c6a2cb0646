import { isJsonObject, type JsonObject } from '../../../../../../core/json/merge.ts';
import { type Block, imageOf, objectsIn, type Readable, textIn } from '../blocks.ts';

/** First characters of the base64 of each image type. */
const kinds = { iVBORw0KGgo: 'png', '/9j/': 'jpeg', UklGR: 'webp', R0lGOD: 'gif' } as const;

/** Reads generated images: a complete list, or the last one of a stream. */
export function readImages(parts: readonly JsonObject[]): Readable | undefined {
  const last = parts.findLast(({ type, b64_json: bytes }) => typeof bytes === 'string' && textIn(type).startsWith('image_'));
  const [part] = parts;
  const images = last === undefined ? objectsIn(part?.['data']) : [last];
  const blocks = images.flatMap(blocksOf);
  if (blocks.length === 0) return undefined;
  const usage = (last ?? part)?.['usage'];
  return { messages: [{ role: 'images', blocks, finish: null }], usage: isJsonObject(usage) ? usage : null, error: null };
}

function blocksOf({ b64_json: bytes, url, revised_prompt: prompt }: JsonObject): readonly Block[] {
  if (typeof bytes !== 'string' && typeof url !== 'string') return [];
  const image = typeof bytes === 'string' ? imageBlockOf(bytes) : imageOf(textIn(url));
  return typeof prompt === 'string' && prompt !== '' ? [image, { kind: 'text', text: prompt }] : [image];
}

/** A placeholder that was stored instead of the bytes is shown as text. */
function imageBlockOf(bytes: string): Block {
  const kind = Object.entries(kinds).find(([begin]) => bytes.startsWith(begin));
  return kind === undefined ? { kind: 'text', text: bytes } : imageOf(`data:image/${kind[1]};base64,${bytes}`);
}

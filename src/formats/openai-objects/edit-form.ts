import { JsonBody } from '../../core/json/body.ts';
import type { FormContent } from '../../core/http/form.ts';
import { isPlain, type Plain } from '../../core/json/merge.ts';
import { typeByBytes } from '../shared/media/data-uri.ts';
import { typeOfPath } from '../shared/media/mime.ts';
import { cannotCarry } from '../shared/request/cannot-carry.ts';

/** Fields of images: `image`, `image[]` and `image[0]`, as libraries write lists. */
const imageField = /^images?(?:\[\w*\])?$/;
/** A field inside of another, and the end of a list. */
const inner = /^([^[\]]+)\[([^[\]]*)\]$/;
const counts: ReadonlySet<string> = new Set(['n', 'output_compression', 'partial_images', 'seed']);

/**
 * A form of `/images/edits` as the JSON body of the same route (OpenAI's reference, Images, "Create image edit"): files are
 * data URIs in `images` and `mask`, and counts are numbers.
 *
 * @throws GatewayError `unsupported_parameter` for a file that is neither an image nor a mask
 */
export function editFromForm(parts: readonly FormContent[]): JsonBody {
  const members = new Map<string, unknown>();
  const images: Plain[] = [];
  for (const part of parts) {
    // Browsers send one for an input in which no file was chosen.
    if (part.isFile && part.bytes.length === 0 && (part.filename ?? '') === '') continue;
    if (imageField.test(part.name)) images.push({ image_url: addressOf(part) });
    else if (part.name === 'mask') members.set('mask', { image_url: addressOf(part) });
    else if (part.isFile) {
      const hint = 'Send images in the fields "image" or "image[]", and a mask in "mask".';
      throw cannotCarry(part.name, `The form has a file in the field "${part.name.slice(0, 100)}".`, hint);
    } else add(members, part.name, part.bytes.toString('utf8'));
  }
  if (images.length > 0) members.set('images', images);
  return JsonBody.of(Object.fromEntries(members));
}

/** A file as a data URI; a text is one already, or another address. */
function addressOf({ isFile, bytes, contentType, filename }: FormContent): string {
  if (!isFile) return bytes.toString('utf8');
  const base64 = bytes.toString('base64');
  const said = (contentType?.split(';', 1)[0] ?? '').trim().toLowerCase();
  const type = said.startsWith('image/') ? said : (typeByBytes(base64) ?? typeOfPath(filename ?? '') ?? 'application/octet-stream');
  return `data:${type};base64,${base64}`;
}

/** The last of several fields of one name counts; `name[]` adds to a list, and `name[key]` to an object. */
function add(members: Map<string, unknown>, name: string, text: string): void {
  const [, outer, key] = inner.exec(name) ?? [];
  if (outer === undefined || key === undefined) {
    members.set(name, valueOf(name, text));
    return;
  }
  const before = members.get(outer);
  if (key === '') members.set(outer, [...(Array.isArray(before) ? (before as unknown[]) : []), text]);
  else members.set(outer, Object.fromEntries([...Object.entries(isPlain(before) ? before : {}), [key, text]]));
}

function valueOf(name: string, text: string): unknown {
  if (counts.has(name) && /^\s*-?\d{1,15}\s*$/.test(text)) return Number(text);
  if (name === 'stream' && /^\s*(?:true|false)\s*$/i.test(text)) return text.trim().toLowerCase() === 'true';
  return text;
}

/** The images of a JSON body, as addresses or ids in whichever form they are written: `images` and `image`. */
export function referencesOf(body: Pick<Plain, 'images' | 'image'>): readonly ImageReference[] {
  return [body['images'], body['image']].flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : (value ?? []))).map(referenceOf);
}

/** One image or mask: its address or its id; neither where it is written in a form that nobody knows. */
export interface ImageReference {
  readonly url?: string;
  readonly fileId?: string;
}

export function referenceOf(value: unknown): ImageReference {
  if (typeof value === 'string') return { url: value };
  if (!isPlain(value)) return {};
  const named = value['image_url'] ?? value['url'];
  const url = isPlain(named) ? named['url'] : named;
  if (typeof url === 'string') return { url };
  return typeof value['file_id'] === 'string' ? { fileId: value['file_id'] } : {};
}

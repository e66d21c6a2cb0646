import { JsonBody } from '../../core/json/body.ts';
import type { FormContent } from '../../core/http/form.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import { typeByBytes } from '../shared/media/data-uri.ts';
import { typeOfPath } from '../shared/media/mime.ts';
import { unsupportedParameter } from '../shared/request/parameter-errors.ts';
import { objectOf, listOf } from '../shared/json.ts';

/** Image fields: `image`, `image[]` and `image[0]`, in the list forms that libraries use. */
const imageField = /^images?(?:\[\w*\])?$/;
/** `name[key]` is a member of an object, `name[]` an item of a list. */
const bracketedName = /^([^[\]]+)\[([^[\]]*)\]$/;
const numberFields: ReadonlySet<string> = new Set(['n', 'output_compression', 'partial_images', 'seed']);

/**
 * Converts a form of `/images/edits` to the JSON body of the same route (OpenAI's reference, Images, "Create image edit"): files
 * become data URIs in `images` and `mask`, and counts become numbers.
 *
 * @throws GatewayError `unsupported_parameter` for a file that is neither an image nor a mask
 */
export function editFromForm(parts: readonly FormContent[]): JsonBody {
  const members = new Map<string, unknown>();
  const images: JsonObject[] = [];
  for (const part of parts) {
    // Browsers send an empty file for an input without a chosen file.
    if (part.isFile && part.bytes.length === 0 && (part.filename ?? '') === '') continue;
    if (imageField.test(part.name)) images.push({ image_url: addressOf(part) });
    else if (part.name === 'mask') members.set('mask', { image_url: addressOf(part) });
    else if (part.isFile) {
      const hint = 'Send images in the fields "image" or "image[]", and a mask in "mask".';
      throw unsupportedParameter(part.name, `The form has a file in the field "${part.name.slice(0, 100)}".`, hint);
    } else addField(members, part.name, part.bytes.toString('utf8'));
  }
  if (images.length > 0) members.set('images', images);
  return JsonBody.of(Object.fromEntries(members));
}

/** Converts a file to a data URI. A text field already is a data URI or another address. */
function addressOf({ isFile, bytes, contentType, filename }: FormContent): string {
  if (!isFile) return bytes.toString('utf8');
  const base64 = bytes.toString('base64');
  const declaredType = (contentType?.split(';', 1)[0] ?? '').trim().toLowerCase();
  const type = declaredType.startsWith('image/')
    ? declaredType
    : (typeByBytes(base64) ?? typeOfPath(filename ?? '') ?? 'application/octet-stream');
  return `data:${type};base64,${base64}`;
}

/** Adds a field. Of several fields with the same name the last one is used; `name[]` adds to a list, and `name[key]` to an object. */
function addField(members: Map<string, unknown>, name: string, text: string): void {
  const [, outer, key] = bracketedName.exec(name) ?? [];
  if (outer === undefined || key === undefined) {
    members.set(name, valueOf(name, text));
    return;
  }
  const before = members.get(outer);
  if (key === '') members.set(outer, [...listOf(before), text]);
  else members.set(outer, Object.fromEntries([...Object.entries(objectOf(before)), [key, text]]));
}

function valueOf(name: string, text: string): unknown {
  if (numberFields.has(name) && /^\s*-?\d{1,15}\s*$/.test(text)) return Number(text);
  if (name === 'stream' && /^\s*(?:true|false)\s*$/i.test(text)) return text.trim().toLowerCase() === 'true';
  return text;
}

/** Returns the images of a JSON body, from `images` and `image`, as addresses or ids in any of their forms. */
export function referencesOf(body: Pick<JsonObject, 'images' | 'image'>): readonly ImageReference[] {
  return [body['images'], body['image']].flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : (value ?? []))).map(referenceOf);
}

/** Address or id of an image or mask. Neither is set if the form is unknown. */
export interface ImageReference {
  readonly url?: string;
  readonly fileId?: string;
}

export function referenceOf(value: unknown): ImageReference {
  if (typeof value === 'string') return { url: value };
  if (!isJsonObject(value)) return {};
  const named = value['image_url'] ?? value['url'];
  const url = isJsonObject(named) ? named['url'] : named;
  if (typeof url === 'string') return { url };
  return typeof value['file_id'] === 'string' ? { fileId: value['file_id'] } : {};
}

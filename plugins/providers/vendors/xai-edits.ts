import type { JsonBody } from '#core/json/body.ts';
import { isJsonObject } from '#core/json/merge.ts';
import type { Dropped } from '#core/provider.ts';
import { referenceOf } from '#formats/openai-objects/edit-form.ts';

/** Converts an image reference. References in the service's own form, or by file id, stay unchanged. */
const imageOf = (value: unknown): unknown => {
  const { url } = referenceOf(value);
  if (url === undefined) return value;
  const others = isJsonObject(value) ? Object.entries(value).filter(([name]) => name !== 'image_url') : [];
  return { ...Object.fromEntries(others), type: 'image_url', url };
};

/**
 * Converts image edits to xAI's format: one `image` or several `images`, each with a `url`. xAI has an aspect ratio instead of a
 * size, so `size` is dropped, and so is `style`.
 */
export function xaiEdits(body: JsonBody): { readonly body: JsonBody; readonly dropped: readonly Dropped[] } {
  const listOf = (name: string): readonly unknown[] => {
    const value = body.value(name) ?? [];
    return Array.isArray(value) ? (value as unknown[]) : [value];
  };
  const images = [...listOf('images'), ...listOf('image')].map(imageOf);
  const mask = body.value('mask') ?? undefined;
  const patch = new Map<string, unknown>([
    ['image', images.length === 1 ? images[0] : undefined],
    ['images', images.length > 1 ? images : undefined],
    ['mask', mask === undefined ? undefined : imageOf(mask)],
  ]);
  const dropped: Dropped[] = [];
  for (const param of ['size', 'style'] as const) {
    if (!body.has(param)) continue;
    patch.set(param, undefined);
    const value = body.value(param);
    if (value !== null && value !== 'auto') dropped.push({ param, reason: 'not supported by this service' });
  }
  return { body: body.edit(patch), dropped };
}

/**
 * Slugs in model names (`@azure-eu/gpt-4o`): the text between `@` and the first `/` is a slug, everything after it,
 * including further slashes, is the model. `@cf/…` and `@hf/…` are ordinary model names.
 */

/** Returns the slug of a model name; undefined if it has none. */
export function slugOf(model: string): string | undefined {
  if (!hasSlug(model)) return undefined;
  const slash = model.indexOf('/');
  return slash < 0 ? model.slice(1) : model.slice(1, slash);
}

/** Returns the model name without its slug; '' if the name is only a slug. */
export function bareModel(model: string): string {
  if (!hasSlug(model)) return model;
  const slash = model.indexOf('/');
  return slash < 0 ? '' : model.slice(slash + 1);
}

function hasSlug(model: string): boolean {
  return model.charCodeAt(0) === 0x40 && !model.startsWith('@cf/') && !model.startsWith('@hf/');
}

/** Returns the name in a reference to a provider or virtual key, which may be written with or without `@`. */
export const withoutAt = (reference: string): string => reference.replace(/^@/, '');

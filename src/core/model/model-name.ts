/**
 * Slugs inside model names (`@azure-eu/gpt-4o`): the text between `@` and the first `/` is a slug, everything after
 * it is the model, further slashes included. `@cf/…` and `@hf/…` are ordinary model names.
 */

/** The slug that a model name carries; undefined when it carries none. */
export function slugOf(model: string): string | undefined {
  if (!carriesSlug(model)) return undefined;
  const slash = model.indexOf('/');
  return slash < 0 ? model.slice(1) : model.slice(1, slash);
}

/** The model name without its slug; '' when the name is nothing but a slug. */
export function bareModel(model: string): string {
  if (!carriesSlug(model)) return model;
  const slash = model.indexOf('/');
  return slash < 0 ? '' : model.slice(slash + 1);
}

function carriesSlug(model: string): boolean {
  return model.charCodeAt(0) === 0x40 && !model.startsWith('@cf/') && !model.startsWith('@hf/');
}

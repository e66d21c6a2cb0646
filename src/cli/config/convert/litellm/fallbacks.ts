import { type Entry, entriesOf, itemsOf, type Node, textOf } from '../../../../config/read/node.ts';
import type { Notes } from '../notes.ts';
import type { SourceSection } from '../section.ts';

const noEntry = 'no entry of model_list that was mapped has this name';
const unknownFallback = 'a fallback was left out: no entry of model_list that was mapped has its name';

/** Name that means all names without a list of their own. */
const all = '*';

export interface RouterParts {
  readonly router: SourceSection;
  readonly litellm: SourceSection;
  readonly groups: ReadonlyMap<string, readonly unknown[]>;
  readonly notes: Notes;
}

/** Name → names that are tried after it. */
export function fallbacksByName(parts: RouterParts): ReadonlyMap<string, readonly string[]> {
  const { router, litellm, groups, notes } = parts;
  const found = new Map<string, readonly string[]>();
  const general: string[] = [];
  for (const section of [router, litellm]) {
    for (const { path, entry } of fallbackEntries(section, parts)) {
      const names = namesIn(entry.value, path, entry, parts);
      if (entry.key === all && !groups.has(all)) general.push(...names);
      else if (!groups.has(entry.key)) notes.unmapped(path, entry.keyAt, noEntry);
      else if (found.has(entry.key)) notes.unmapped(path, entry.keyAt, 'another list of the same name is used');
      else
        found.set(
          entry.key,
          names.filter((name) => name !== entry.key),
        );
    }
  }
  for (const section of [router, litellm]) {
    const entry = section.take('default_fallbacks');
    if (entry !== undefined) general.push(...namesIn(entry.value, section.pathOf('default_fallbacks'), entry, parts));
  }
  for (const group of groups.keys()) {
    const names = [...new Set(general)].filter((name) => name !== group);
    if (!found.has(group) && names.length > 0) found.set(group, names);
  }
  for (const [name, names] of found) if (names.length === 0) found.delete(name);
  noteChains(found, parts);
  return found;
}

/** The entries of `fallbacks`: a list of mappings. */
function fallbackEntries(section: SourceSection, { notes }: RouterParts): readonly { readonly path: string; readonly entry: Entry }[] {
  const whole = section.take('fallbacks');
  if (whole === undefined) return [];
  const path = `${section.pathOf('fallbacks')}[]`;
  if (whole.value.kind !== 'list') notes.unmapped(section.pathOf('fallbacks'), whole.keyAt, 'it is not a list');
  return itemsOf(whole.value).flatMap((item) => {
    if (item.kind !== 'map') notes.unmapped(path, item.at, 'it is not a mapping');
    return entriesOf(item).map((entry) => ({ path: `${path}.${entry.key}`, entry }));
  });
}

function namesIn(node: Node, path: string, { keyAt }: Entry, { groups, notes }: RouterParts): readonly string[] {
  if (node.kind !== 'list') notes.unmapped(path, keyAt, 'it is not a list');
  const names = itemsOf(node).map((one) => textOf(one) ?? '');
  const known = names.filter((name) => groups.has(name));
  if (known.length < names.length) notes.unmapped(path, keyAt, unknownFallback);
  return [...new Set(known)];
}

function noteChains(found: ReadonlyMap<string, readonly string[]>, { router, litellm, notes }: RouterParts): void {
  if (![...found.values()].some((names) => names.some((name) => found.has(name)))) return;
  for (const section of [router, litellm]) {
    const at = (section.entry('fallbacks') ?? section.entry('default_fallbacks'))?.keyAt;
    if (at !== undefined)
      notes.different(section.pathOf('fallbacks'), at, 'only the listed names are tried, not the fallbacks of a fallback');
  }
}

import { slugOf, withoutAt } from '../../../core/model/model-name.ts';
import { nearest } from '../../../core/text/nearest.ts';
import { splitReference } from '../../../core/model/prompt.ts';
import { shortList } from '../../../core/text/wording.ts';
import { typeNames, providerOf } from '../../read/registry.ts';
import { child, itemsOf, type SourceLocation, textOf, type Node } from '../../read/node.ts';
import { locationText } from '../../report/problem.ts';
import { promptSites, membersOf } from '../prompts/sites.ts';
import { callerRulesOf, type CheckContext, entryOf, lacks, sectionEntries, type Site, sitesOf, slugIn } from '../context.ts';
import { hasOwnCredential } from '../../compile/settings.ts';

/** A reference to a name that must be defined. */
interface Reference {
  readonly what: 'provider' | 'virtual key' | 'config' | 'prompt' | 'provider type' | 'plugin';
  readonly name: string;
  readonly at: SourceLocation;
  readonly hint?: string | undefined;
}

/** Checks that every referenced name exists. A missing name is reported once, at its first use. */
export function checkReferences(context: CheckContext): void {
  const known = definitions(context);
  const missing = new Map<string, Reference[]>();
  for (const use of [
    ...referencesInConfigs(context),
    ...referencesInCatalog(context),
    ...referencesInPrompts(context),
    ...referencesInKeys(context),
  ]) {
    if (known[use.what].has(use.name) || isSectionMisspelled(use.what, context)) continue;
    const key = `${use.what === 'virtual key' ? 'provider' : use.what}|${use.name}`;
    const uses = missing.get(key);
    if (uses === undefined) missing.set(key, [use]);
    else uses.push(use);
  }
  for (const uses of missing.values()) reportMissing(uses, known, context);
  checkTargetNames(context);
}

/** Sections that define the names. */
const sections: Readonly<Partial<Record<Reference['what'], readonly string[]>>> = {
  provider: ['providers', 'virtual_keys'],
  'virtual key': ['providers', 'virtual_keys'],
  config: ['configs'],
  prompt: ['prompts'],
};

/** True when a key is reported as a misspelling of a section: its names are defined, only not under the right key. */
const isSectionMisspelled = (what: Reference['what'], { root }: CheckContext): boolean =>
  sections[what]?.some((section) => entryOf(root, section) === undefined && !lacks(root, section)) === true;

type DefinedNames = Readonly<Record<Reference['what'], ReadonlyMap<string, SourceLocation | undefined>>>;

/** Defined names with their locations. Providers and virtual keys share one namespace. */
function definitions({ root, registry }: CheckContext): DefinedNames {
  const locationsOf = (name: string) => [...sectionEntries(root, name)].map(([key, entry]): [string, SourceLocation] => [key, entry.keyAt]);
  const shared = new Map([...locationsOf('providers'), ...locationsOf('virtual_keys')]);
  return {
    provider: shared,
    'virtual key': shared,
    config: new Map(locationsOf('configs')),
    prompt: new Map(locationsOf('prompts')),
    'provider type': new Map(typeNames(registry).map((name) => [name, undefined])),
    plugin: new Map(registry.plugins.map((plugin) => [plugin.name, undefined])),
  };
}

function reportMissing(uses: readonly Reference[], known: DefinedNames, { hasBrokenFiles, report }: CheckContext): void {
  const [use] = uses.toSorted((a, b) =>
    a.at.file.name < b.at.file.name ? -1 : a.at.file.name > b.at.file.name ? 1 : a.at.line - b.at.line,
  );
  if (use === undefined) return;
  const names = known[use.what];
  const meant = nearest(use.name, names.keys());
  // The names that a broken file defines are unknown: only a name close to a known one is certainly a mistake.
  if (hasBrokenFiles && meant === undefined) return;
  const location = meant === undefined ? undefined : names.get(meant);
  const hint =
    meant === undefined
      ? (use.hint ?? knownNames(use, names))
      : `did you mean "${meant}"${location === undefined ? '' : ` (${locationText(location)})`}?`;
  const note = uses.length > 1 ? `${uses.length} references to it` : undefined;
  report({ code: 'unknown-reference', at: use.at, message: `no ${use.what} called "${use.name}"`, hint, note });
}

function knownNames(use: Reference, names: ReadonlyMap<string, unknown>): string {
  const list = [...names.keys()];
  if (list.length === 0) return `no ${use.what} is defined`;
  return `defined: ${shortList(list, 12)}`;
}

function referencesInConfigs(context: CheckContext): Reference[] {
  return sitesOf(context.root).flatMap((site) => {
    if (site.node.kind === 'scalar') {
      const text = textOf(site.node);
      const fits = text !== undefined && context.isValid(site.path);
      return fits ? [{ what: 'provider' as const, name: slugIn(text), at: site.node.at }] : [];
    }
    return [...referencesInTarget(site, context)];
  });
}

/** A reference as it is written; empty when the node has no text. */
function referenceTo(
  what: Reference['what'],
  node: Node | undefined,
  nameOf = (text: string): string | undefined => text,
  hint?: string,
): Reference[] {
  const name = nameOf(textOf(node) ?? '');
  return node === undefined || name === undefined || name === '' ? [] : [{ what, name, at: node.at, hint }];
}

function referencesInTarget({ node }: Site, { registry }: CheckContext): Reference[] {
  const provider = child(node, 'provider');
  const virtual = child(node, 'virtual_key');
  const others = [
    ...referenceTo('virtual key', virtual, slugIn),
    ...referenceTo('config', child(node, 'config')),
    ...referenceTo('prompt', child(node, 'prompt_id'), (text) => splitReference(text).id),
    ...(provider === undefined && virtual === undefined
      ? referenceTo('provider', child(child(node, 'override_params'), 'model'), slugOf)
      : []),
  ];
  const written = textOf(provider) ?? '';
  const name = slugIn(written);
  const type = written.startsWith('@') ? undefined : providerOf(registry, name);
  // In the file, a bare name is a slug first, otherwise a type that needs no credential or has one next to it.
  if (type !== undefined && (type.entry.apiKey !== 'required' || hasOwnCredential(membersOf(node), type))) return others;
  const hint = `"${name}" is a type: define providers: {${name}: {type: ${name}, …}}, or add api_key next to it`;
  return [...referenceTo('provider', provider, slugIn, type === undefined ? undefined : hint), ...others];
}

function referencesInCatalog({ root, registry }: CheckContext): Reference[] {
  const types = [...sectionEntries(root, 'providers').values()].flatMap(({ value }) => referenceTo('provider type', child(value, 'type')));
  const virtual = [...sectionEntries(root, 'virtual_keys').values()].flatMap(({ value }) =>
    referenceTo('provider', child(value, 'provider'), withoutAt),
  );
  const plugins = itemsOf(child(root, 'plugins')).flatMap((item): Reference[] => {
    const node = item.kind === 'map' ? child(item, 'name') : item;
    const name = textOf(node) ?? '';
    const hint = /[./]/.test(name) ? `refer to a file as {use: ${name}}` : undefined;
    return registry.plugins.some((plugin) => plugin.name === name) ? [] : referenceTo('plugin', node, undefined, hint);
  });
  return [...types, ...virtual, ...plugins];
}

function referencesInPrompts({ root }: CheckContext): Reference[] {
  return promptSites(root).flatMap(({ node }) => [
    ...referenceTo('config', child(node, 'config')),
    ...referenceTo('provider', child(node, 'model'), slugOf),
  ]);
}

function referencesInKeys({ root, registry }: CheckContext): Reference[] {
  return callerRulesOf(root).flatMap((caller) => {
    const allowed = (list: string): readonly Node[] => itemsOf(child(child(caller, 'allow'), list));
    const providers = allowed('providers').flatMap((node) =>
      textOf(node)?.startsWith('type:') === true
        ? referenceTo('provider type', node, (text) => text.slice(5)).filter(({ name }) => !typeNames(registry).includes(name))
        : referenceTo('provider', node, withoutAt),
    );
    return [
      ...referenceTo('config', child(caller, 'default_config')),
      ...allowed('configs').flatMap((node) => (textOf(node) === 'inline' ? [] : referenceTo('config', node))),
      ...allowed('prompts').flatMap((node) => referenceTo('prompt', node)),
      ...providers,
    ];
  });
}

/** Checks that `then` and `default` name a target of the same config. */
function checkTargetNames({ root, report }: CheckContext): void {
  for (const { node, path } of sitesOf(root)) {
    const strategy = child(node, 'strategy');
    // Missing targets are reported elsewhere, and the names may be right once the targets are there.
    if (itemsOf(child(node, 'targets')).length === 0) continue;
    const names = new Map(
      itemsOf(child(node, 'targets')).flatMap((target) => {
        const name = child(target, 'name');
        return name === undefined ? [] : [[textOf(name) ?? '', name.at] as const];
      }),
    );
    const uses = [...itemsOf(child(strategy, 'conditions')).map((condition) => child(condition, 'then')), child(strategy, 'default')];
    for (const use of uses) {
      const name = textOf(use);
      if (use === undefined || name === undefined || name === '' || names.has(name)) continue;
      const meant = nearest(name, names.keys());
      const hint =
        meant !== undefined
          ? `did you mean "${meant}"?`
          : names.size === 0
            ? 'give the target a name: {name: …}'
            : `defined: ${[...names.keys()].join(', ')}`;
      const where = `configs.${String(path[1])}`;
      report({ code: 'unknown-reference', at: use.at, message: `no target called "${name}" in ${where}`, hint });
    }
  }
}

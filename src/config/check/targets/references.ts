import { slugOf } from '../../../core/model/model-name.ts';
import { nearest } from '../../../core/text/nearest.ts';
import { splitReference } from '../../../core/model/prompt.ts';
import { typeNames } from '../../read/registry.ts';
import { child, itemsOf, type SourceLocation, textOf } from '../../read/node.ts';
import { placeText } from '../../report/problem.ts';
import { bringsCredential } from '../keys/credential.ts';
import { promptSites } from '../prompts/sites.ts';
import { callersOf, type CheckContext, section, type Site, sitesOf, slugIn, textsOf } from '../context.ts';

/** A name that should be defined somewhere. */
interface Use {
  readonly what: 'provider' | 'virtual key' | 'config' | 'prompt' | 'provider type' | 'plugin';
  readonly name: string;
  readonly at: SourceLocation;
  readonly hint?: string | undefined;
}

/** Every name that is used exists. A missing one is reported once, at its first use. */
export function references(context: CheckContext): void {
  const known = definitions(context);
  const missing = new Map<string, Use[]>();
  for (const use of [...usesInConfigs(context), ...usesInCatalog(context), ...usesInPrompts(context), ...usesInKeys(context)]) {
    if (known[use.what].has(use.name)) continue;
    const key = `${use.what === 'virtual key' ? 'provider' : use.what}|${use.name}`;
    missing.set(key, [...(missing.get(key) ?? []), use]);
  }
  for (const uses of missing.values()) reportMissing(uses, known, context);
  targetNames(context);
}

type Known = Readonly<Record<Use['what'], ReadonlyMap<string, SourceLocation | undefined>>>;

/** Providers and virtual keys share one namespace. */
function definitions({ root, kit }: CheckContext): Known {
  const places = (name: string) => [...section(root, name)].map(([key, entry]): [string, SourceLocation] => [key, entry.keyAt]);
  const shared = new Map([...places('providers'), ...places('virtual_keys')]);
  return {
    provider: shared,
    'virtual key': shared,
    config: new Map(places('configs')),
    prompt: new Map(places('prompts')),
    'provider type': new Map(typeNames(kit).map((name) => [name, undefined])),
    plugin: new Map(kit.plugins.map((plugin) => [plugin.name, undefined])),
  };
}

function reportMissing(uses: readonly Use[], known: Known, { broken, report }: CheckContext): void {
  const [use] = uses.toSorted((a, b) =>
    a.at.file.name < b.at.file.name ? -1 : a.at.file.name > b.at.file.name ? 1 : a.at.line - b.at.line,
  );
  if (use === undefined) return;
  const names = known[use.what];
  const meant = nearest(use.name, names.keys());
  // What a broken file defines is not known: only a name that is close to another is surely a mistake.
  if (broken && meant === undefined) return;
  const place = meant === undefined ? undefined : names.get(meant);
  const hint =
    meant === undefined
      ? (use.hint ?? knownNames(use, names))
      : `did you mean "${meant}"${place === undefined ? '' : ` (${placeText(place)})`}?`;
  const note = uses.length > 1 ? `used in ${uses.length} places` : undefined;
  report({ code: 'unknown-reference', at: use.at, message: `no ${use.what} called "${use.name}"`, hint, note });
}

function knownNames(use: Use, names: ReadonlyMap<string, unknown>): string {
  const list = [...names.keys()];
  if (list.length === 0) return `no ${use.what} is defined`;
  return `defined: ${list.slice(0, 12).join(', ')}${list.length > 12 ? ', …' : ''}`;
}

function usesInConfigs(context: CheckContext): Use[] {
  return sitesOf(context.root).flatMap((site) => {
    if (site.node.kind === 'scalar') {
      const text = textOf(site.node);
      const fits = text !== undefined && context.valid(site.path);
      return fits ? [{ what: 'provider' as const, name: slugIn(text), at: site.node.at }] : [];
    }
    return [...usesInTarget(site, context)];
  });
}

function* usesInTarget({ node }: Site, { kit }: CheckContext): Generator<Use> {
  const provider = child(node, 'provider');
  const written = textOf(provider);
  if (provider !== undefined && written !== undefined && written !== '') {
    const name = slugIn(written);
    const type = written.startsWith('@') ? undefined : kit.providers.find((one) => one.type === name || one.aliases.includes(name));
    // In the file a bare word is a slug first, else a type that needs no credential or brings one.
    const direct = type !== undefined && (bringsCredential(node, type) || type.apiKey !== 'required');
    const hint =
      type === undefined ? undefined : `"${name}" is a type: define providers: {${name}: {type: ${name}, …}}, or add api_key next to it`;
    if (!direct) yield { what: 'provider', name, at: provider.at, hint };
  }
  const virtual = child(node, 'virtual_key');
  const key = textOf(virtual);
  if (virtual !== undefined && key !== undefined && key !== '') yield { what: 'virtual key', name: slugIn(key), at: virtual.at };
  const config = child(node, 'config');
  const name = textOf(config);
  if (config !== undefined && name !== undefined && name !== '') yield { what: 'config', name, at: config.at };
  const prompt = child(node, 'prompt_id');
  const id = splitReference(textOf(prompt) ?? '').id;
  if (prompt !== undefined && id !== '') yield { what: 'prompt', name: id, at: prompt.at };
  const model = child(child(node, 'override_params'), 'model');
  const slug = slugOf(textOf(model) ?? '');
  if (model !== undefined && slug !== undefined && provider === undefined && virtual === undefined) {
    yield { what: 'provider', name: slug, at: model.at };
  }
}

function usesInCatalog({ root, kit }: CheckContext): Use[] {
  const types = [...section(root, 'providers').values()].flatMap((entry): Use[] => {
    const type = child(entry.value, 'type');
    const name = textOf(type);
    return type === undefined || name === undefined ? [] : [{ what: 'provider type', name, at: type.at }];
  });
  const virtual = [...section(root, 'virtual_keys').values()].flatMap((entry): Use[] => {
    const provider = child(entry.value, 'provider');
    const name = textOf(provider);
    if (provider === undefined || name === undefined || name === '') return [];
    // A virtual key stands for a provider, never for another virtual key.
    const slug = name.replace(/^@/, '');
    return section(root, 'virtual_keys').has(slug) && !section(root, 'providers').has(slug)
      ? [{ what: 'provider', name: `${slug}`, at: provider.at, hint: `"${slug}" is a virtual key too` }]
      : [{ what: 'provider', name: slug, at: provider.at }];
  });
  const plugins = itemsOf(child(root, 'plugins')).flatMap((item): Use[] => {
    const node = item.kind === 'map' ? child(item, 'name') : item;
    const name = textOf(node);
    if (node === undefined || name === undefined || name === '') return [];
    const hint = /[./]/.test(name) ? `refer to a file as {use: ${name}}` : undefined;
    return kit.plugins.some((plugin) => plugin.name === name) ? [] : [{ what: 'plugin', name, at: node.at, hint }];
  });
  return [...types, ...virtual, ...plugins];
}

function usesInPrompts({ root }: CheckContext): Use[] {
  return promptSites(root).flatMap(({ node }): Use[] => {
    const config = child(node, 'config');
    const name = textOf(config);
    const model = child(node, 'model');
    const slug = slugOf(textOf(model) ?? '');
    return [
      ...(config === undefined || name === undefined || name === '' ? [] : [{ what: 'config' as const, name, at: config.at }]),
      ...(model === undefined || slug === undefined ? [] : [{ what: 'provider' as const, name: slug, at: model.at }]),
    ];
  });
}

function usesInKeys({ root, kit }: CheckContext): Use[] {
  return callersOf(root).flatMap((caller) => {
    const config = child(caller, 'default_config');
    const name = textOf(config);
    const uses: Use[] = config === undefined || name === undefined || name === '' ? [] : [{ what: 'config', name, at: config.at }];
    for (const { node, text } of textsOf(child(child(caller, 'allow'), 'configs'))) {
      if (text !== 'inline' && text !== '') uses.push({ what: 'config', name: text, at: node.at });
    }
    for (const { node, text } of textsOf(child(child(caller, 'allow'), 'prompts'))) {
      if (text !== '') uses.push({ what: 'prompt', name: text, at: node.at });
    }
    for (const { node, text } of textsOf(child(child(caller, 'allow'), 'providers'))) {
      if (text.startsWith('type:')) uses.push({ what: 'provider type', name: text.slice(5), at: node.at });
      else if (text !== '') uses.push({ what: 'provider', name: text.replace(/^@/, ''), at: node.at });
    }
    return uses.filter((use) => use.what !== 'provider type' || !typeNames(kit).includes(use.name));
  });
}

/** `then` and `default` name a target beside them. */
function targetNames({ root, report }: CheckContext): void {
  for (const { node, path } of sitesOf(root)) {
    const strategy = child(node, 'strategy');
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

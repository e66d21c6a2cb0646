import { child, formatPath, itemsOf, type Node, textOf } from '../../read/node.ts';
import { callerRulesOf, type CheckContext, entryOf, sectionEntries, type Site, sitesOf, slugIn, startOf, valueOf } from '../context.ts';
import { slugOfVirtualKey } from '../../read/registry.ts';
import { withoutAt } from '../../../core/model/model-name.ts';

/** Reports targets and providers that no request can reach. */
export function checkReachability(context: CheckContext): void {
  const sites = sitesOf(context.root);
  for (const site of sites) {
    const why = whyUnreachable(site, context);
    if (why === undefined) continue;
    const of = site.path.length === 4 ? `config "${site.config}"` : formatPath(site.path.slice(0, -2));
    context.report({
      code: 'never-used',
      at: startOf(site.node.at),
      message: `target ${site.index} of ${of} can never be reached (${why.reason})`,
      hint: why.hint,
    });
  }
  for (const site of sites) checkWeightMode(site, context);
  reportUnusedProviders(context, sites);
}

function whyUnreachable(site: Site, { root }: CheckContext): { reason: string; hint: string } | undefined {
  const { parent, node, index } = site;
  if (parent === undefined) return undefined;
  const strategy = child(parent.node, 'strategy');
  const mode = valueOf(child(strategy, 'mode')) ?? 'single';
  const siblings = itemsOf(child(parent.node, 'targets'));
  if (mode === 'loadbalance' && valueOf(child(node, 'weight')) === 0 && siblings.some((one) => valueOf(child(one, 'weight')) !== 0)) {
    return { reason: 'weight 0', hint: 'give it a weight, or remove it' };
  }
  if (mode === 'single' && index > 0) return { reason: 'mode single uses target 0', hint: 'write strategy: {mode: fallback}' };
  if (mode === 'conditional' && namesExist(siblings, strategy) && !isChosen(node, strategy))
    return { reason: 'no condition names it', hint: 'name it in then or default' };
  const slug = providerSlug(node);
  const entry = slug === undefined ? undefined : child(root, 'providers');
  const isDisabled = slug !== undefined && valueOf(child(child(entry, slug), 'enabled')) === false;
  return isDisabled ? { reason: `provider "${slug}" is disabled`, hint: 'remove the target while the provider is disabled' } : undefined;
}

/** False when conditions are missing or name an unknown target: any of the targets may have been meant. */
function namesExist(targets: readonly Node[], strategy: Node | undefined): boolean {
  if (child(strategy, 'conditions') === undefined) return false;
  const names = new Set(targets.map((target) => textOf(child(target, 'name'))));
  const used = [...itemsOf(child(strategy, 'conditions')).map((one) => child(one, 'then')), child(strategy, 'default')];
  return used.every((node) => node === undefined || names.has(textOf(node)));
}

function isChosen(target: Node, strategy: Node | undefined): boolean {
  const name = textOf(child(target, 'name'));
  if (name === undefined) return false;
  return (
    textOf(child(strategy, 'default')) === name || itemsOf(child(strategy, 'conditions')).some((one) => textOf(child(one, 'then')) === name)
  );
}

function providerSlug(node: Node): string | undefined {
  const text = node.kind === 'scalar' ? textOf(node) : (textOf(child(node, 'provider')) ?? textOf(child(node, 'virtual_key')));
  return text === undefined ? undefined : slugIn(text);
}

/** `weight` has an effect only on targets below mode loadbalance. */
function checkWeightMode({ node, parent }: Site, { report }: CheckContext): void {
  const weight = entryOf(node, 'weight');
  if (weight === undefined || weight.value.kind !== 'scalar') return;
  const mode = parent === undefined ? 'none' : (valueOf(child(child(parent.node, 'strategy'), 'mode')) ?? 'single');
  if (mode === 'loadbalance') return;
  report({
    code: 'never-used',
    at: weight.keyAt,
    message: '"weight" has no effect here',
    hint: 'only targets below strategy: {mode: loadbalance} have weights',
  });
}

/** Reports providers that no key may use. A provider is open to every client, unless all keys are limited to others. */
function reportUnusedProviders({ root, report }: CheckContext, sites: readonly Site[]): void {
  const keys = callerRulesOf(root);
  if (keys.length === 0) return;
  const providers = sectionEntries(root, 'providers');
  const virtual = sectionEntries(root, 'virtual_keys');
  const providerBehind = (name: string): string => slugOfVirtualKey(virtual.get(name)?.value) ?? name;
  const inConfigs = sites.flatMap(({ node }) => providerSlug(node) ?? []);
  const usable = new Set<string>();
  for (const value of keys) {
    const allowed = child(child(value, 'allow'), 'providers');
    const enforced = valueOf(child(value, 'enforce_config')) === true;
    const hasConfig = entryOf(value, 'default_config') !== undefined;
    if (allowed === undefined && !(enforced && hasConfig)) return;
    const names = allowed === undefined ? inConfigs : itemsOf(allowed).map((item) => withoutAt(textOf(item) ?? ''));
    // An unknown name may be a misspelling of any provider.
    if (names.some((name) => !name.startsWith('type:') && !providers.has(name) && !virtual.has(name))) return;
    for (const name of names) usable.add(name).add(providerBehind(name));
  }
  for (const [what, entries] of [
    ['provider', providers],
    ['virtual key', virtual],
  ] as const) {
    for (const [slug, entry] of entries) {
      if (usable.has(slug) || usable.has(providerBehind(slug))) continue;
      report({
        code: 'never-used',
        at: entry.keyAt,
        message: `no API key may use the ${what} "${slug}"`,
        hint: 'name it in allow: {providers: […]} of a key, or remove it',
      });
    }
  }
}

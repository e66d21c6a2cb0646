import type { Duty, Plugin } from '../../../core/plugin.ts';
import { child, type Entry, itemsOf, keyLocation, type Node } from '../../read/node.ts';
import { builtInFor, chainOf, pluginOf, provides } from '../../read/registry.ts';
import { type CheckContext, entryOf, sectionEntries, sitesOf, valueOf } from '../context.ts';

/** Without these no request reaches a provider. */
const requiredDuties = ['targets', 'upstream-requests'] as const satisfies readonly Duty[];

/** Checks that an explicit chain contains all plugins that the rest of the configuration needs. */
export function checkRequiredPlugins(context: CheckContext): void {
  const { root, registry, report } = context;
  const plugins = child(root, 'plugins');
  if (plugins?.kind !== 'list' || !context.isValid(['plugins'])) return;
  // An unknown name may be a misspelling of any plugin.
  if (plugins.items.some((item) => child(item, 'use') === undefined && pluginOf(item, registry) === undefined)) return;
  const chain = chainOf(root, registry);
  const missing = requiredDuties.filter((duty) => !provides(chain, duty)).map((duty) => builtInFor(duty, registry));
  if (missing.length > 0) {
    const message = `the chain has no "${missing.join('" and no "')}": no request reaches a provider`;
    const hint = `add ${missing.join(' and ')} to plugins, unless a plugin of your own does the work`;
    report({ code: 'missing-key', severity: 'warning', at: keyLocation(root, ['plugins']), message, hint });
  }
  if (!provides(chain, 'retries')) reportUnused('retries', usesOfRetries(context), context);
  checkCallersAreKnown(chain, plugins, context);
  if (!provides(chain, 'virtual-keys'))
    reportUnused('virtual-keys', sectionEntries(root, 'virtual_keys').size === 0 ? [] : [entryOf(root, 'virtual_keys')], context);
}

function usesOfRetries({ root }: CheckContext): readonly (Entry | undefined)[] {
  return sitesOf(root).flatMap(({ node }) => {
    const strategy = entryOf(node, 'strategy');
    const isFallback = valueOf(child(strategy?.value, 'mode')) === 'fallback' && itemsOf(child(node, 'targets')).length > 1;
    const circuit = entryOf(strategy?.value, 'cb_config');
    return [entryOf(node, 'retry'), isFallback ? strategy : circuit];
  });
}

/** The built-in limits apply to callers, which only the plugins after the authentication know. */
function checkCallersAreKnown(chain: readonly Plugin[], plugins: Node & { kind: 'list' }, { registry, report }: CheckContext): void {
  const name = builtInFor('limits', registry);
  const limits = chain.findIndex((plugin) => plugin.name === name);
  const authentication = chain.findIndex((plugin) => provides([plugin], 'authentication'));
  const first = chain[authentication]?.name;
  if (first === undefined || limits < 0 || limits > authentication) return;
  const message = `"${name}" before "${first}" limits nobody: no caller is known yet`;
  report({ code: 'conflict', at: plugins.items[limits]?.at ?? plugins.at, message, hint: `write ${name} after ${first}` });
}

/** Reports a missing plugin once, at the first key that needs it. */
function reportUnused(duty: Duty, uses: readonly (Entry | undefined)[], { registry, report }: CheckContext): void {
  const [first, ...more] = uses.filter((entry) => entry !== undefined);
  if (first === undefined) return;
  const plugin = builtInFor(duty, registry);
  report({
    code: 'never-used',
    at: first.keyAt,
    message: `"${first.written}" has no effect: the chain has no "${plugin}"`,
    hint: `add ${plugin} to plugins`,
    note:
      more.length === 0 ? undefined : `${more.length} other ${more.length === 1 ? 'key has' : 'keys have'} no effect for the same reason`,
  });
}

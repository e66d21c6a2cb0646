import { child, entriesOf, itemsOf, keyLocation, type Node } from '../../read/node.ts';
import { type CheckContext, entryOf, lacks, type Site, sitesOf, valueOf } from '../context.ts';

/** Reports what a strategy lacks, and keys that have no effect in its mode. */
export function checkStrategies(context: CheckContext): void {
  for (const site of sitesOf(context.root)) {
    const strategy = entryOf(site.node, 'strategy');
    if (strategy === undefined) continue;
    checkRequiredKeys(site, context);
    const mode = valueOf(child(strategy.value, 'mode'));
    if (typeof mode !== 'string' || !context.isValid([...site.path, 'strategy', 'mode'])) continue;
    for (const [key, requiredMode] of [
      ['on_status_codes', 'fallback'],
      ['conditions', 'conditional'],
      ['default', 'conditional'],
    ] as const) {
      const entry = entryOf(strategy.value, key);
      if (entry === undefined || mode === requiredMode) continue;
      context.report({
        code: 'never-used',
        at: entry.keyAt,
        message: `"${entry.written}" has no effect under mode ${mode}`,
        hint: `only ${requiredMode} reads it`,
      });
    }
    if (mode === 'loadbalance') checkWeights(site, context);
    if (mode === 'conditional') warnMissingDefault(site, context);
  }
}

function checkRequiredKeys({ node, path }: Site, { root, report }: CheckContext): void {
  const at = keyLocation(root, [...path, 'strategy']);
  if (lacks(node, 'targets') && entryOf(node, 'config') === undefined) {
    report({ code: 'missing-key', at, message: 'a strategy needs "targets"', hint: 'add targets: [openai-main/gpt-4o]' });
  }
  const strategy = child(node, 'strategy');
  if (valueOf(child(strategy, 'mode')) === 'conditional' && lacks(strategy, 'conditions')) {
    const hint = 'add conditions: [{query: {metadata.plan: {$eq: paid}}, then: big}]';
    report({ code: 'missing-key', at, message: 'mode conditional needs "conditions"', hint });
  }
}

/**
 * Only a warning: a config may be meant for the matching requests alone. A fallback passes over such a target, and a list of model
 * names is complete without a default, which would get every unknown name.
 */
function warnMissingDefault({ node, path, parent }: Site, { root, report }: CheckContext): void {
  const strategy = child(node, 'strategy');
  if (valueOf(child(child(parent?.node, 'strategy'), 'mode')) === 'fallback' && itemsOf(child(parent?.node, 'targets')).length > 1) return;
  if (entryOf(strategy, 'conditions') === undefined || entryOf(strategy, 'default') !== undefined) return;
  if (itemsOf(child(strategy, 'conditions')).every((one) => isModelName(child(one, 'query')))) return;
  report({
    code: 'missing-key',
    severity: 'warning',
    at: keyLocation(root, [...path, 'strategy']),
    message: 'mode conditional has no "default": the gateway rejects requests that match no condition',
    hint: 'add default: the name of a target',
  });
}

/** Whether a query compares the model with names, and nothing else. */
function isModelName(query: Node | undefined): boolean {
  const [first, ...more] = entriesOf(query);
  if (first?.key !== 'params.model' || more.length > 0) return false;
  return first.value.kind === 'scalar' || entriesOf(first.value).every(({ key }) => key === '$eq' || key === '$in');
}

function checkWeights({ node, path }: Site, { root, report }: CheckContext): void {
  const targets = itemsOf(child(node, 'targets'));
  if (targets.length === 0 || targets.some((target) => valueOf(child(target, 'weight')) !== 0)) return;
  const at = keyLocation(root, [...path, 'targets']);
  report({
    code: 'out-of-range',
    at,
    message: 'all weights are 0, so no target can be chosen',
    hint: 'give at least one target a weight above 0',
  });
}

import { child, itemsOf } from '../../read/node.ts';
import { type CheckContext, entryOf, lacks, type Site, sitesOf, valueOf } from '../context.ts';

/** Reports what `cb_config` lacks, and where it has no effect. */
export function checkCircuits(context: CheckContext): void {
  const sites = sitesOf(context.root);
  for (const site of sites) {
    const circuit = entryOf(child(site.node, 'strategy'), 'cb_config');
    if (circuit === undefined || circuit.value.kind !== 'map') continue;
    const has = (key: string): boolean => entryOf(circuit.value, key) !== undefined;
    if (lacks(circuit.value, 'failure_threshold') && lacks(circuit.value, 'failure_threshold_percentage')) {
      const message = '"cb_config" needs "failure_threshold" or "failure_threshold_percentage"';
      context.report({ code: 'missing-key', at: circuit.keyAt, message, hint: 'add failure_threshold: 5' });
    }
    const minimum = entryOf(circuit.value, 'minimum_requests');
    if (minimum !== undefined && !has('failure_threshold_percentage')) {
      context.report({
        code: 'never-used',
        at: minimum.keyAt,
        message: '"minimum_requests" has no effect here',
        hint: 'only failure_threshold_percentage reads it',
      });
    }
    if (sites.some((below) => isWithin(below, site) && hasAlternative(below))) continue;
    context.report({
      code: 'never-used',
      at: circuit.keyAt,
      message: '"cb_config" has no effect: there is no other target to use',
      hint: 'it needs strategy: {mode: fallback} or {mode: loadbalance} with two targets or more',
    });
  }
}

const isWithin = ({ path }: Site, above: Site): boolean => above.path.every((step, at) => path[at] === step);

/**
 * True when a sibling can replace a target that the circuit removes. A target that names a config is accepted,
 * since that config is checked itself.
 */
function hasAlternative({ node }: Site): boolean {
  if (entryOf(node, 'config') !== undefined) return true;
  const mode = valueOf(child(child(node, 'strategy'), 'mode'));
  return (mode === 'fallback' || mode === 'loadbalance') && itemsOf(child(node, 'targets')).length > 1;
}

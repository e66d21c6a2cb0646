import { child, type SourceLocation, textOf } from '../../read/node.ts';
import { type CheckContext, sitesOf } from '../context.ts';

/** Limits for nesting of configs, and for the targets of all configs together: far above any real file, low enough to be harmless. */
const maxLevels = 50;
const maxTargets = 100_000;

interface Link {
  readonly to: string;
  readonly at: SourceLocation;
}

interface ConfigLinks {
  readonly links: Link[];
  /** Number of targets that do not name a config or contain targets. */
  ownTargets: number;
}

/** Size of a config once compiled: each config that it names is compiled again in its place. */
interface ExpandedSize {
  readonly levels: number;
  readonly targets: number;
}

/**
 * Reports configs that refer to each other in a cycle, once per cycle, at the reference that closes it; and configs that
 * expand to more than the limits.
 */
export function checkCycles({ root, report }: CheckContext): void {
  const configs = new Map<string, ConfigLinks>();
  for (const { node, config } of sitesOf(root)) {
    const named = configs.get(config) ?? { links: [], ownTargets: 0 };
    configs.set(config, named);
    const target = child(node, 'config');
    const to = textOf(target);
    if (target !== undefined && to !== undefined) named.links.push({ to, at: target.at });
    else if (child(node, 'targets') === undefined) named.ownTargets += 1;
  }
  const sizes = new Map<string, ExpandedSize>();
  let isReported = false;
  const reportTooLarge = (at: SourceLocation, message: string): void => {
    if (!isReported) report({ code: 'out-of-range', at, message, hint: 'each reference copies the named config: use fewer references' });
    isReported = true;
  };
  const measure = (name: string, trail: readonly string[]): ExpandedSize => {
    const known = sizes.get(name);
    if (known !== undefined) return known;
    const { links, ownTargets } = configs.get(name) ?? { links: [], ownTargets: 0 };
    const path = [...trail, name];
    let levels = 1;
    let targets = ownTargets;
    for (const { to, at } of links) {
      const start = path.indexOf(to);
      if (start < 0 && path.length <= maxLevels) {
        const below = measure(to, path);
        levels = Math.max(levels, below.levels + 1);
        targets += below.targets;
        if (levels > maxLevels) reportTooLarge(at, `more than ${maxLevels} configs are nested in each other`);
        if (targets > maxTargets) reportTooLarge(at, `the named configs expand to more than ${maxTargets} targets`);
      } else if (start < 0) reportTooLarge(at, `more than ${maxLevels} configs are nested in each other`);
      else
        report({
          code: 'cycle',
          at,
          message: 'the configs refer to each other in a cycle',
          hint: [...path, to].slice(start).join(' → '),
        });
    }
    const extent = { levels, targets };
    sizes.set(name, extent);
    return extent;
  };
  let repeated = 0;
  for (const [name, { links, ownTargets }] of configs) {
    repeated += measure(name, []).targets - ownTargets;
    const [first] = links;
    if (repeated > maxTargets && first !== undefined)
      reportTooLarge(first.at, `the named configs expand to more than ${maxTargets} targets`);
  }
}

import { child, type SourceLocation, textOf } from '../../read/node.ts';
import { type CheckContext, sitesOf } from '../context.ts';

/** Limits for nesting of configs, and for the targets of all configs together: far above any real file, low enough to be harmless. */
const mostLevels = 50;
const mostTargets = 100_000;

interface Link {
  readonly to: string;
  readonly at: SourceLocation;
}

interface Named {
  readonly links: Link[];
  /** Number of targets that do not name a config or contain targets. */
  own: number;
}

/** Size of a config once compiled: each config that it names is compiled again in its place. */
interface Extent {
  readonly levels: number;
  readonly targets: number;
}

/**
 * Reports configs that refer to each other in a cycle, once per cycle, at the reference that closes it; and configs that
 * expand to more than the limits.
 */
export function cycles({ root, report }: CheckContext): void {
  const configs = new Map<string, Named>();
  for (const { node, config } of sitesOf(root)) {
    const named = configs.get(config) ?? { links: [], own: 0 };
    configs.set(config, named);
    const target = child(node, 'config');
    const to = textOf(target);
    if (target !== undefined && to !== undefined) named.links.push({ to, at: target.at });
    else if (child(node, 'targets') === undefined) named.own += 1;
  }
  const extents = new Map<string, Extent>();
  let isTooMuch = false;
  const tooMuch = (at: SourceLocation, message: string): void => {
    if (!isTooMuch) report({ code: 'out-of-range', at, message, hint: 'a config is repeated at each place that names it: name fewer' });
    isTooMuch = true;
  };
  const follow = (name: string, trail: readonly string[]): Extent => {
    const known = extents.get(name);
    if (known !== undefined) return known;
    const { links, own } = configs.get(name) ?? { links: [], own: 0 };
    const within = [...trail, name];
    let levels = 1;
    let targets = own;
    for (const { to, at } of links) {
      const start = within.indexOf(to);
      if (start < 0 && within.length <= mostLevels) {
        const below = follow(to, within);
        levels = Math.max(levels, below.levels + 1);
        targets += below.targets;
        if (levels > mostLevels) tooMuch(at, `more than ${mostLevels} configs are nested in each other`);
        if (targets > mostTargets) tooMuch(at, `the named configs expand to more than ${mostTargets} targets`);
      } else if (start < 0) tooMuch(at, `more than ${mostLevels} configs are nested in each other`);
      else
        report({
          code: 'cycle',
          at,
          message: 'the configs refer to each other in a cycle',
          hint: [...within, to].slice(start).join(' → '),
        });
    }
    const extent = { levels, targets };
    extents.set(name, extent);
    return extent;
  };
  let repeated = 0;
  for (const [name, { links, own }] of configs) {
    repeated += follow(name, []).targets - own;
    const [first] = links;
    if (repeated > mostTargets && first !== undefined) tooMuch(first.at, `the named configs expand to more than ${mostTargets} targets`);
  }
}

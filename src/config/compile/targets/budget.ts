import { isPlain, type Plain } from '../../../core/json/merge.ts';
import { invalid } from '../invalid.ts';

/** Far above real configs, low enough that compiling one delays no other request. */
const mostTargets = 256;
const mostCopies = 20_000;

const hint = 'Store it as a named config in gateway.yaml.';

/**
 * Limits the work and memory of one config sent with a request. A short text may have thousands of targets, and each
 * target with parameters of its own has a copy of those that it inherits.
 */
export class TreeBudget {
  /** Number of copied parameters. Nested values that are only shared do not count. */
  copies = 0;
  #targets = 0;

  /** @throws GatewayError `invalid_config` */
  addTarget(): void {
    this.#targets += 1;
    if (this.#targets > mostTargets) throw invalid(`it has more than ${mostTargets} targets`, hint);
  }

  /**
   * @param above the parameters that `params` was made from
   * @throws GatewayError `invalid_config`
   */
  addParams(params: Plain | undefined, above: Plain | undefined): void {
    this.copies += newMembers(params, above);
    if (this.copies > mostCopies) throw invalid(`its targets have more than ${mostCopies} parameters in total, with inherited ones`, hint);
  }
}

/** Number of members of the objects and lists that are not those of `above`. */
function newMembers(value: unknown, above: unknown): number {
  if (value === above) return 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + 1 + newMembers(item, undefined), 0);
  if (!isPlain(value)) return 0;
  const known = isPlain(above) ? above : {};
  return Object.entries(value).reduce(
    (sum, [key, member]) => sum + 1 + newMembers(member, Object.hasOwn(known, key) ? known[key] : undefined),
    0,
  );
}

import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { invalidConfig } from '../invalid.ts';

/** Far above real configs, low enough that compiling one delays no other request. */
const maxTargets = 256;
const maxCopies = 20_000;

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
    if (this.#targets > maxTargets) throw invalidConfig(`it has more than ${maxTargets} targets`, hint);
  }

  /**
   * @param above the parameters that `params` was made from
   * @throws GatewayError `invalid_config`
   */
  addParams(params: JsonObject | undefined, above: JsonObject | undefined): void {
    this.copies += newMembers(params, above);
    if (this.copies > maxCopies)
      throw invalidConfig(`its targets have more than ${maxCopies} parameters in total, with inherited ones`, hint);
  }
}

/** Number of members of the objects and lists that are not those of `above`. */
function newMembers(value: unknown, above: unknown): number {
  if (value === above) return 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + 1 + newMembers(item, undefined), 0);
  if (!isJsonObject(value)) return 0;
  const known = isJsonObject(above) ? above : {};
  return Object.entries(value).reduce(
    (sum, [key, member]) => sum + 1 + newMembers(member, Object.hasOwn(known, key) ? known[key] : undefined),
    0,
  );
}

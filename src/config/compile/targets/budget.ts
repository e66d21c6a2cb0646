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
  /** Number of copied parameters, nested ones included. */
  copies = 0;
  #targets = 0;

  /** @throws GatewayError `invalid_config` */
  addTarget(): void {
    this.#targets += 1;
    if (this.#targets > mostTargets) throw invalid(`it has more than ${mostTargets} targets`, hint);
  }

  /** @throws GatewayError `invalid_config` */
  addCopy(params: Plain | undefined): void {
    this.copies += membersIn(params);
    if (this.copies > mostCopies) throw invalid(`its targets have more than ${mostCopies} parameters in total, with inherited ones`, hint);
  }
}

function membersIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + 1 + membersIn(item), 0);
  return isPlain(value) ? membersIn(Object.values(value)) : 0;
}

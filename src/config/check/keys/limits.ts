import { parseWindowLimit } from '../../../core/limits/caller-limits.ts';
import { child, type Node, type Path, textOf } from '../../read/node.ts';
import type { CheckContext } from '../context.ts';

/** Checks the numbers in the limits of a caller. */
export function checkLimits(caller: Node, path: Path, { isValid, report }: CheckContext): void {
  const limits = child(caller, 'limits');
  for (const name of ['rate', 'tokens']) {
    const node = child(limits, name);
    const text = textOf(node);
    if (node === undefined || text === undefined || !isValid([...path, 'limits', name]) || parseWindowLimit(text) !== undefined) continue;
    report({
      code: 'out-of-range',
      at: node.at,
      message: `"${text}" is not a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`,
      hint: 'write 60/min, or 200k/min',
    });
  }
}

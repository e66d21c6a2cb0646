import { canonicalPrefix } from '../../core/http/headers.ts';
import { entriesOf, type Node, nodeAt } from '../../config/read/node.ts';
import type { ProblemReporter } from '../../config/report/problem.ts';

/** Keys of a request that set these headers. */
const headers: Readonly<Record<string, string>> = { config: `${canonicalPrefix}config`, key: `${canonicalPrefix}api-key` };

/** Reports keys of a request that would have no effect. */
export function reportUnused(test: Node, report: ProblemReporter): void {
  const request = nodeAt(test, ['request']);
  for (const { key, keyAt } of entriesOf(nodeAt(request, ['headers']))) {
    const other = Object.keys(headers).find((name) => headers[name] === key.toLowerCase() && nodeAt(request, [name]) !== undefined);
    if (other !== undefined)
      report({ code: 'conflict', at: keyAt, message: `the header "${key}" is also set by "${other}"`, hint: 'remove one' });
  }
  const stream = nodeAt(request, ['stream']);
  const body = nodeAt(request, ['body']);
  if (stream !== undefined && body?.kind !== 'map')
    report({ code: 'conflict', at: stream.at, message: '"stream" is set in the body, which must be a mapping', hint: 'write the body' });
}

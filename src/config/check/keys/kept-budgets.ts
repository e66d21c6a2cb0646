import { child, type Node, textOf } from '../../read/node.ts';
import { callerRulesOf, type CheckContext, entryOf, sectionEntries, valueOf } from '../context.ts';

/** Reports once that budgets begin anew with each start, if no request log is kept that shows what was spent before. */
export function checkBudgetsAreKept({ root, report }: CheckContext): void {
  const requests = child(child(root, 'logging'), 'requests');
  const isOff = valueOf(requests) === 'off';
  const isInMemory = valueOf(child(child(root, 'server'), 'state_dir')) === 'memory' && lacksDatabase(requests);
  if (!isOff && !isInMemory) return;
  const virtualKeys = [...sectionEntries(root, 'virtual_keys').values()].map(({ value }) => value);
  const [first] = [...callerRulesOf(root), ...virtualKeys].flatMap((entry) => entryOf(child(entry, 'limits'), 'budget') ?? []);
  if (first === undefined) return;
  report({
    code: 'conflict',
    severity: 'warning',
    at: first.keyAt,
    message: `budgets begin anew with each start: what was spent before is read from the request log, which is ${isOff ? 'off' : 'in memory'}`,
    hint: isOff ? 'remove requests: off from logging' : 'remove state_dir: memory from server, or store records in Postgres',
  });
}

const lacksDatabase = (requests: Node | undefined): boolean => textOf(child(requests, 'store'))?.startsWith('postgres') !== true;

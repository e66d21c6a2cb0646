import { checkLimits } from './limits.ts';
import { child, itemsOf, type Node, type Path, textOf } from '../../read/node.ts';
import { type CheckContext, entryOf, lacks, sectionEntries, valueOf } from '../context.ts';

/** Checks of API keys beyond their shape. */
export function checkApiKeys(context: CheckContext): void {
  for (const [name, { value }] of sectionEntries(context.root, 'api_keys')) {
    const path = ['api_keys', name];
    checkEnforcedConfig(value, path, context);
    checkLimits(value, path, context);
    checkExampleHash(name, child(value, 'hash'), context);
    for (const key of ['created', 'expires', 'revoked']) checkDate(child(value, key), [...path, key], context);
    itemsOf(child(value, 'previous')).forEach((secret, i) => {
      checkDate(child(secret, 'until'), [...path, 'previous', i, 'until'], context);
    });
  }
}

/** Hash of the public example key in the files of deploy/. */
const exampleHash = 'sha256:5ad1ff8a0ed9c990817678ba0452d7e62e6cf908f9ed7c874a519617ceaacaca';

function checkExampleHash(name: string, hash: Node | undefined, { report }: CheckContext): void {
  if (hash === undefined || textOf(hash)?.toLowerCase() !== exampleHash) return;
  report({
    code: 'exposed',
    severity: 'warning',
    at: hash.at,
    message: `the key "${name}" is the published example "change-me-0123456789": anyone can use it`,
    hint: `gateway keys create ${name} issues a key of your own`,
  });
}

/** `enforce_config` needs a `default_config` to enforce. */
export function checkEnforcedConfig(value: Node, path: Path, { report }: CheckContext): void {
  const enforce = entryOf(value, 'enforce_config');
  if (enforce === undefined || valueOf(enforce.value) !== true || !lacks(value, 'default_config')) return;
  report({
    code: 'missing-key',
    at: enforce.keyAt,
    message: `"default_config" is missing in ${path.join('.')}`,
    hint: 'add default_config: the config that is enforced',
  });
}

function checkDate(node: Node | undefined, path: Path, { isValid, report }: CheckContext): void {
  const text = textOf(node);
  if (node === undefined || text === undefined || !isValid(path) || isCalendarDate(text)) return;
  report({ code: 'out-of-range', at: node.at, message: `"${text}" is not a calendar date`, hint: 'write a date such as 2027-03-01' });
}

/** `Date` reads February 31 as March 3, so the parsed day must equal the written one. */
function isCalendarDate(text: string): boolean {
  const at = Date.parse(text);
  const day = text.slice(0, 10);
  return !Number.isNaN(at) && new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

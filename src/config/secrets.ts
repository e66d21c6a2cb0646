import { placeholderCredentials } from '#core/headers.ts';
import { type Entry, type Node, type Path, walk } from './node.ts';

/** Keys under which a secret stands, in every spelling that providers and pasted configs use. */
const secretKey =
  /(^|[_-])(api[_-]?key|secret|secret[_-]?key|client[_-]?secret|access[_-]?key|access[_-]?token|auth[_-]?token|token|password|private[_-]?key|service[_-]?account([_-]?json)?)$/i;

/** Parts of the tree that go to providers as they are: a field called `token` is no secret there. */
const openParts: ReadonlySet<string> = new Set(['override_params', 'metadata', 'labels', 'query', 'replies']);

/** True for a key whose value must not be printed. */
export const isSecretKey = (key: string | number | undefined): boolean => typeof key === 'string' && secretKey.test(snake(key));

const snake = (key: string): string => key.replace(/[a-z][A-Z]/g, (pair) => `${pair.charAt(0)}_${pair.charAt(1).toLowerCase()}`);

/** Visits every text that stands where a secret belongs. */
export function walkSecrets(root: Node, visit: (node: Node & { kind: 'scalar' }, path: Path, entry: Entry) => void): void {
  walk(root, (node, path, entry) => {
    const key = path.at(-1);
    if (typeof key === 'string' && path.length > 2 && openParts.has(key)) return false;
    if (entry !== undefined && path.length > 2 && isSecretKey(key) && node.kind === 'scalar' && typeof node.value === 'string')
      visit(node, path, entry);
    return true;
  });
}

/** The secrets that are written in the files. */
export function literalSecrets(root: Node): string[] {
  const found: string[] = [];
  walkSecrets(root, (node) => {
    if (typeof node.value === 'string' && node.value !== '' && !placeholderCredentials.has(node.value)) found.push(node.value);
  });
  return found;
}

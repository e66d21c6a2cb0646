import { child, type Node, walk } from '../read/node.ts';
import { promptSites } from './prompts/sites.ts';
import { type CheckContext, sitesOf } from './context.ts';

/** Reports whole numbers sent to providers (a seed, an id) that have more digits than a JavaScript number can hold. */
export function digits({ root, report }: CheckContext): void {
  const sent = [
    ...sitesOf(root).map(({ node }) => child(node, 'override_params')),
    ...promptSites(root).map(({ node }) => child(node, 'parameters')),
  ];
  for (const node of new Set(sent)) {
    if (node === undefined) continue;
    walk(node, (one) => {
      if (!isCut(one)) return true;
      const message = 'the number has too many digits: other digits would be sent';
      report({
        code: 'wrong-type',
        severity: 'warning',
        at: one.at,
        message,
        hint: 'write at most 15 digits, or put it in quotes to send a string',
      });
      return true;
    });
  }
}

const isCut = (node: Node): boolean =>
  node.kind === 'scalar' &&
  typeof node.value === 'number' &&
  Number.isInteger(node.value) &&
  /^(?:[-+]?\d+|0x[\da-fA-F]+|0o[0-7]+)$/.test(node.text) &&
  BigInt(node.text.replace('+', '')) !== BigInt(node.value);

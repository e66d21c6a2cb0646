import { child, type ScalarNode, traverse } from '../read/node.ts';
import type { Problem } from '../report/problem.ts';
import { promptSites } from './prompts/sites.ts';
import { type CheckContext, sitesOf } from './context.ts';

/** Reports values that would be sent to providers differently than they are written. No schema describes them. */
export function checkSentValues({ root, report }: CheckContext): void {
  const sent = [
    ...sitesOf(root).map(({ node }) => child(node, 'override_params')),
    ...promptSites(root).map(({ node }) => child(node, 'parameters')),
  ];
  for (const node of new Set(sent)) {
    if (node === undefined) continue;
    traverse(node, (one) => {
      const difference = one.kind === 'scalar' ? differenceOf(one) : undefined;
      if (difference !== undefined) report({ code: 'wrong-type', severity: 'warning', at: one.at, ...difference });
      return true;
    });
  }
}

function differenceOf(node: ScalarNode): Pick<Problem, 'message' | 'hint'> | undefined {
  const { value, text } = node;
  if (losesDigits(node)) {
    const hint = 'write at most 15 digits, or put it in quotes to send a string';
    return { message: 'the number has too many digits: other digits would be sent', hint };
  }
  if (typeof value === 'number' && /^[-+]?0\d/.test(text))
    return { message: `${text} is sent as the number ${value}`, hint: `write ${value}, or put it in quotes to send a string` };
  if (typeof value === 'string' && isUnquoted(node) && /^(?:yes|no|on|off)$/i.test(text)) {
    const meant = /^(?:yes|on)$/i.test(text);
    return { message: `${text} is sent as a string, as in YAML 1.2`, hint: `write ${meant}, or put it in quotes to send the string` };
  }
  return undefined;
}

/** True for a whole number (a seed, an id) with more digits than a JavaScript number can hold. */
const losesDigits = ({ value, text }: ScalarNode): boolean =>
  typeof value === 'number' &&
  Number.isInteger(value) &&
  /^(?:[-+]?\d+|0x[\da-fA-F]+|0o[0-7]+)$/.test(text) &&
  BigInt(text.replace('+', '')) !== BigInt(value);

const isUnquoted = ({ at, text }: ScalarNode): boolean => at.file.lines[at.line - 1]?.startsWith(text, at.column - 1) === true;

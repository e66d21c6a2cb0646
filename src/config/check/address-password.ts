import type { Node } from '../read/node.ts';
import type { ProblemReporter } from '../report/problem.ts';

/** How characters are written that would end the password in a URL. */
export const passwordEscapes = 'in the password %40 for @, %2F for /, %3A for :, %3F for ? and %23 for #';

const passwordPattern = /:\/\/[^/?#@]*?:([^@]+)@/;

/** Reports a password in an address that is written in the file, not as a reference. @param owner what the address belongs to */
export function checkWrittenPassword(node: Node, owner: string, report: ProblemReporter): void {
  const password = node.kind === 'scalar' ? passwordPattern.exec(node.text)?.[1] : undefined;
  if (password === undefined || password.includes('${')) return;
  const hint = 'use ${env:NAME} or ${file:/run/secrets/name} in its place; the value is not shown here';
  report({ code: 'plain-secret', at: node.at, message: `the password of the ${owner} is written in the file`, hint, show: 'none' });
}

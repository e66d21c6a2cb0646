import { createRequire } from 'node:module';
import { child, type Node, textOf } from '../read/node.ts';
import type { ProblemReporter } from '../report/problem.ts';
import { checkWrittenPassword, passwordEscapes } from './address-password.ts';
import type { CheckContext, Rule } from './context.ts';

/** Checks the address of the request log, and reports a store whose package is not installed. */
export const checkStore: Rule = createStoreRule(isInstalled);

/** @param isPackageInstalled whether a package can be imported */
export function createStoreRule(isPackageInstalled: (name: string) => boolean): Rule {
  return ({ root, report }: CheckContext): void => {
    const node = child(child(child(root, 'logging'), 'requests'), 'store');
    const text = textOf(node);
    if (node === undefined || text?.startsWith('postgres') !== true) return;
    checkAddress(node, text, report);
    if (isPackageInstalled('pg')) return;
    // Only a warning: the file may be checked on another machine than it serves on.
    report({
      code: 'setup-failed',
      severity: 'warning',
      at: node.at,
      message: 'a request log in Postgres needs the package pg, which is not installed here: records would wait in the spool',
      hint: 'npm install pg',
      // The address may contain a password.
      show: 'none',
    });
  };
}

/** An `@` after the host: part of a password whose `/` or `?` ended the host too early. What follows would be shown as the name of the database. */
const misplacedAt = /^[^:]+:\/\/[^/?#]*(?:\/[^?#]*@|[?#].*@)/;
function checkAddress(node: Node, text: string, report: ProblemReporter): void {
  if (!URL.canParse(text) || misplacedAt.test(text)) {
    report({
      code: 'bad-url',
      at: node.at,
      message: 'the address of the database is not a valid URL',
      hint: `write postgres://user:password@host:5432/database, and ${passwordEscapes}`,
      show: 'none',
    });
    return;
  }
  checkWrittenPassword(node, 'database', report);
}

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}

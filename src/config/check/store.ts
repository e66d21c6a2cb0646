import { createRequire } from 'node:module';
import { child, type Node, textOf } from '../read/node.ts';
import type { ProblemReporter } from '../report/problem.ts';
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
const passwordPattern = /:\/\/[^/?#@]*?:([^@]+)@/;

/** True if the address has a password that is no reference. */
export function isPasswordWritten(node: Node): boolean {
  const password = node.kind === 'scalar' ? passwordPattern.exec(node.text)?.[1] : undefined;
  return password !== undefined && !password.includes('${');
}

function checkAddress(node: Node, text: string, report: ProblemReporter): void {
  if (!URL.canParse(text) || misplacedAt.test(text)) {
    report({
      code: 'bad-url',
      at: node.at,
      message: 'the address of the database is not a valid URL',
      hint: 'write postgres://user:password@host:5432/database, and in the password %40 for @, %2F for /, %3A for :, %3F for ? and %23 for #',
      show: 'none',
    });
    return;
  }
  if (!isPasswordWritten(node)) return;
  const hint = 'use ${env:NAME} or ${file:/run/secrets/name} in its place; the value is not shown here';
  report({ code: 'plain-secret', at: node.at, message: 'the password of the database is written in the file', hint, show: 'none' });
}

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}

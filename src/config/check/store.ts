import { createRequire } from 'node:module';
import { child, textOf } from '../read/node.ts';
import type { CheckContext, Rule } from './context.ts';

/** Reports a store whose package is not installed. Only a warning: the file may be checked on another machine than it serves on. */
export const store: Rule = storeRule(isInstalled);

/** @param has whether a package can be imported */
export function storeRule(has: (name: string) => boolean): Rule {
  return ({ root, report }: CheckContext): void => {
    const node = child(child(child(root, 'logging'), 'requests'), 'store');
    if (node === undefined || textOf(node)?.startsWith('postgres') !== true || has('pg')) return;
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

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}

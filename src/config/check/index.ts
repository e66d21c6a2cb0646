import type { CheckContext } from './context.ts';

/** Everything that a schema can not say: one rule a file. */
export function check(_context: CheckContext): void {}

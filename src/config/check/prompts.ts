import type { CheckContext } from './context.ts';

/** What prompts need beyond their shape. */
export function prompts(_context: CheckContext): void {}

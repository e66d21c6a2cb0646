/** Thoughts as DeepSeek's API has them, which most services follow. */
export const thoughts = 'reasoning_content';

/** What clients write for services that know instructions as `system` only. */
export const roles = { developer: 'system' } as const;

export const name = ['name'] as const;

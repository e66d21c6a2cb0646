/** Field for reasoning in DeepSeek's API, which most services use. */
export const thoughts = 'reasoning_content';

/** For services that support instructions only in the role `system`. */
export const roles = { developer: 'system' } as const;

export const nameField = ['name'] as const;

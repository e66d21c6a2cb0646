/** Schema of a setting that is a text. */
export const text = (description: string) => ({ type: 'string', minLength: 1, description }) as const;

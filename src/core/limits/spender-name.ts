/**
 * The name of a virtual key among the callers whose spending is counted. No key and no caller with a token has such a name:
 * names of keys have no colon, and the others begin with `jwt:`.
 */
export const spenderName = (virtualKey: string): string => `virtual_key:${virtualKey}`;

/** A client that takes nothing of an answer may do so for so many milliseconds: it holds a connection, but nobody waits in vain. */
export const slowClientMs = 10 * 60_000;

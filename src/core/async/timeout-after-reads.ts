/**
 * Calls a function after a time, and once what has arrived by then was read. After a stall of this process, timers run
 * before the sockets are read: what arrived meanwhile is not late.
 *
 * @param then must check that the wait is not over: `clearTimeout` has no effect in the turn of the event loop in which the time ends
 * @param ms milliseconds
 */
export const timeoutAfterReads = (then: () => void, ms: number): NodeJS.Timeout => setTimeout(() => setImmediate(then), ms);

import type { MessagePort } from 'node:worker_threads';
import { fromUnknown } from '../../../core/error.ts';

/** A call to a thread or a process. */
export interface RpcCall {
  readonly id: number;
  readonly name: string;
  readonly argument: unknown;
}

export type RpcReply = { readonly id: number; readonly value: unknown } | { readonly id: number; readonly error: SerializedError };

/** A message that a thread or a process sends without a call. */
export interface ProblemReport {
  readonly problems: readonly string[];
}

export type ReportProblems = (problems: readonly string[]) => void;

export interface SerializedError {
  readonly code: string | undefined;
  readonly message: string;
  readonly param: string | undefined;
  readonly hint: string | undefined;
}

export type RpcHandlers = Readonly<Record<string, (argument: never) => unknown>>;

/** Runs tasks one after another. */
export type Sequence = (work: () => Promise<void>) => void;

export function createSequence(): Sequence {
  let last: Promise<void> = Promise.resolve();
  return (work) => {
    last = last.then(work);
  };
}

/** Lets a thread respond to calls, in order. */
export function serveThreadCalls(port: MessagePort, handlers: RpcHandlers, sequence: Sequence): void {
  const post = (reply: RpcReply): void => port.postMessage(reply, 'value' in reply ? transferListOf(reply.value) : []);
  port.on('message', (call: RpcCall) => sequence(() => runCall(post, handlers, call)));
}

/** @param post rejects or throws for a value that cannot be posted */
export async function runCall(post: (reply: RpcReply) => unknown, handlers: RpcHandlers, { id, name, argument }: RpcCall): Promise<void> {
  try {
    await post({ id, value: await handlers[name]?.(argument as never) });
  } catch (error) {
    await post({ id, error: serializeError(error) });
  }
}

/** Memory of a value, or of the elements of a list, that is transferred instead of copied. */
function transferListOf(value: unknown): ArrayBuffer[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.flatMap((one) => (one instanceof Uint8Array && coversBuffer(one) ? [one.buffer as ArrayBuffer] : []));
}

/** True if the memory can be transferred: the view covers its whole buffer. */
function coversBuffer(bytes: Uint8Array): boolean {
  return bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength && bytes.byteLength > 0;
}

function serializeError(error: unknown): SerializedError {
  const { message, code, param, hint } = error as { message?: unknown; code?: unknown; param?: unknown; hint?: unknown };
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  return { code: text(code), message: text(message) ?? String(error), param: text(param), hint: text(hint) };
}

/** Restores the error for the caller to throw. */
export function restoreError({ message, ...more }: SerializedError): Error {
  const error = Object.assign(new Error(message), more);
  const known = fromUnknown(error);
  return known.code === 'internal' ? error : known;
}

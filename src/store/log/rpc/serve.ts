import { flushCompileCache } from 'node:module';
import { Socket } from 'node:net';
import { objectIn } from '../../../core/json/scan.ts';
import { createSequence, type RpcHandlers, type RpcReply, run } from './protocol.ts';
import { type Frame, headOf, jsonFrame, kinds, mostPayload, Unframer } from './frames.ts';

/** Behind those that every process has. */
const descriptor = 3;

/**
 * Lets this process respond to calls, one after the other, until whoever started it is gone. Values of handlers are bytes, or nothing.
 *
 * @param begin given what `ProcessOptions.data` was
 */
export function serveCalls(begin: (data: unknown) => RpcHandlers): void {
  // It ends with the gateway and not before: a terminal sends its signals to both.
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGUSR2'] as const) process.on(signal, () => {});
  const pipe = new Socket({ fd: descriptor, readable: true, writable: true });
  const sequence = createSequence();
  let handlers: RpcHandlers = {};
  const take = ({ id, payload }: Frame): void => {
    const said = objectIn(payload.toString('utf8')) ?? {};
    if (id > 0) {
      sequence(() => run((reply) => write(pipe, reply), handlers, { id, name: String(said['name']), argument: said['argument'] }));
      return;
    }
    handlers = begin(said);
    pipe.write(headOf(0, kinds.nothing, 0));
    // It is ended without a warning, and would take what it compiled with it.
    sequence(async () => flushCompileCache());
  };
  const unframer = new Unframer(take);
  pipe.on('data', (piece: Buffer) => unframer.take(piece));
  pipe.on('error', () => process.exit());
  pipe.on('close', () => process.exit());
}

/** Resolves when it is written: results do not pile up here. */
function write(pipe: Socket, reply: RpcReply): Promise<void> {
  return new Promise((resolve) => {
    const { id } = reply;
    const value = 'value' in reply ? reply.value : undefined;
    if ('error' in reply) pipe.write(jsonFrame(id, kinds.error, reply.error), () => resolve());
    else if (!(value instanceof Uint8Array)) pipe.write(headOf(id, kinds.nothing, 0), () => resolve());
    else if (value.length > mostPayload) throw new Error(`a result of ${value.length} bytes is too large`);
    else {
      // In one piece, as far as the pipe has room: whoever reads wakes for each.
      pipe.cork();
      pipe.write(headOf(id, kinds.bytes, value.length));
      pipe.write(value, () => resolve());
      pipe.uncork();
    }
  });
}

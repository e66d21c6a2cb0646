import { flushCompileCache } from 'node:module';
import { Socket } from 'node:net';
import { tryParseObject } from '../../../core/json/scan.ts';
import { createSequence, type RpcHandlers, type ReportProblems, type RpcReply, runCall } from './protocol.ts';
import { type RpcFrame, frameHead, jsonFrame, frameKinds, maxPayload, FrameDecoder } from './frames.ts';

/** The first descriptor after the standard ones. */
const descriptor = 3;

/**
 * Lets this process respond to calls, one after another, until its parent ends. Handlers return bytes or nothing.
 *
 * @param begin called with `ProcessOptions.data`, and a function that reports problems
 */
export function serveCalls(begin: (data: unknown, report: ReportProblems) => RpcHandlers | Promise<RpcHandlers>): void {
  // Ignore these signals: a terminal sends them to both processes, but this one must not end before the gateway.
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGUSR2'] as const) process.on(signal, () => {});
  const pipe = new Socket({ fd: descriptor, readable: true, writable: true });
  const sequence = createSequence();
  let handlers: RpcHandlers = {};
  const take = ({ id, payload }: RpcFrame): void => {
    const message = tryParseObject(payload.toString('utf8')) ?? {};
    if (id > 0) {
      sequence(() =>
        runCall((reply) => write(pipe, reply), handlers, { id, name: String(message['name']), argument: message['argument'] }),
      );
      return;
    }
    sequence(async () => {
      handlers = await begin(message, (problems) => pipe.write(jsonFrame(0, frameKinds.problems, { problems })));
      pipe.write(frameHead(0, frameKinds.nothing, 0));
    });
    // Write the compile cache now, because this process is killed without a warning.
    sequence(async () => flushCompileCache());
  };
  const unframer = new FrameDecoder(take);
  pipe.on('data', (piece: Buffer) => unframer.push(piece));
  pipe.on('error', () => process.exit());
  pipe.on('close', () => process.exit());
}

/** Resolves when the reply is written, so that results do not accumulate here. */
function write(pipe: Socket, reply: RpcReply): Promise<void> {
  return new Promise((resolve) => {
    const { id } = reply;
    const value = 'value' in reply ? reply.value : undefined;
    if ('error' in reply) pipe.write(jsonFrame(id, frameKinds.error, reply.error), () => resolve());
    else if (!(value instanceof Uint8Array)) pipe.write(frameHead(id, frameKinds.nothing, 0), () => resolve());
    else if (value.length > maxPayload) throw new Error(`a result of ${value.length} bytes is too large`);
    else {
      // In one write if possible, because each write wakes the reader.
      pipe.cork();
      pipe.write(frameHead(id, frameKinds.bytes, value.length));
      pipe.write(value, () => resolve());
      pipe.uncork();
    }
  });
}

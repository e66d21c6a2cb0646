import type { ServerResponse } from 'node:http';
import { crc32 } from 'node:zlib';

/** Writes frames of AWS's event streams as its documentation describes them. */

const text = (name: string, value: string): Buffer => {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([7]), length, Buffer.from(value)]);
};

function frame(headers: Readonly<Record<string, string>>, payload: object): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => text(name, value)));
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(head.length + body.length + 16, 0);
  prelude.writeUInt32BE(head.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const all = Buffer.concat([prelude, head, body]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(all));
  return Buffer.concat([all, sum]);
}

export const event = (name: string, payload: object): Buffer =>
  frame({ ':event-type': name, ':content-type': 'application/json', ':message-type': 'event' }, payload);

export const exception = (name: string, message: string): Buffer =>
  frame({ ':exception-type': name, ':content-type': 'application/json', ':message-type': 'exception' }, { message });

/** An event of the messages API in its frame. */
export const chunk = (payload: object): Buffer => event('chunk', { bytes: Buffer.from(JSON.stringify(payload)).toString('base64') });

export function eventStream(response: ServerResponse, frames: readonly Buffer[]): void {
  response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
  for (const one of frames) response.write(one);
  response.end();
}

/** A short answer of Converse. */
export const textFrames = (...texts: readonly string[]): Buffer[] => [
  event('messageStart', { role: 'assistant' }),
  ...texts.map((one) => event('contentBlockDelta', { contentBlockIndex: 0, delta: { text: one } })),
  event('contentBlockStop', { contentBlockIndex: 0 }),
  event('messageStop', { stopReason: 'end_turn' }),
  event('metadata', { usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 }, metrics: { latencyMs: 1 } }),
];

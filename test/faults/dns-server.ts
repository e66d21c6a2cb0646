import { createSocket, type Socket } from 'node:dgram';
import type { AddressInfo } from 'node:net';

/** Response to a query: addresses, "no such name", a failure, or no response. */
export type DnsReply =
  | { readonly addresses: readonly string[]; readonly ttl?: number; readonly afterMs?: number }
  | 'unknown'
  | 'failure'
  | 'silence';

export interface NameServer {
  /** `address:port` */
  readonly address: string;
  /** Queried names and types (1 for IPv4, 28 for IPv6), in order. */
  readonly queries: (readonly [name: string, type: number])[];
  reply: (name: string) => DnsReply;
  close(): void;
}

/** A DNS server on its own socket with as much of RFC 1035 as the tests need. */
export async function startNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const server: NameServer = {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    queries: [],
    reply: () => 'unknown',
    close: () => socket.close(),
  };
  socket.on('message', (query, from) => {
    const { name, type, end } = questionOf(query);
    server.queries.push([name, type]);
    const dnsReply = server.reply(name);
    if (dnsReply === 'silence') return;
    const send = (): void => reply(socket, encodeResponse(query, { type, end }, dnsReply), from);
    if (typeof dnsReply === 'object' && dnsReply.afterMs !== undefined) setTimeout(send, dnsReply.afterMs);
    else send();
  });
  return server;
}

function reply(socket: Socket, bytes: Buffer, from: { readonly port: number; readonly address: string }): void {
  socket.send(bytes, from.port, from.address, () => undefined);
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function encodeResponse(query: Buffer, { type, end }: { type: number; end: number }, reply: Exclude<DnsReply, 'silence'>): Buffer {
  const addresses = typeof reply === 'object' ? reply.addresses.filter((each) => each.includes(':') === (type === 28)) : [];
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180 | (reply === 'unknown' ? 3 : reply === 'failure' ? 2 : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  header.writeUInt32BE(0, 8);
  const ttl = typeof reply === 'object' ? (reply.ttl ?? 60) : 0;
  return Buffer.concat([header, query.subarray(12, end), ...addresses.map((address) => record(address, type, ttl))]);
}

function record(address: string, type: number, ttl: number): Buffer {
  const data = type === 28 ? Buffer.from(expand(address), 'hex') : Buffer.from(address.split('.').map(Number));
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(ttl, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

/** Returns the 32 digits of an IPv6 address. */
function expand(address: string): string {
  const [left = '', right = ''] = address.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':')).map((group) => group.padStart(4, '0'));
  const [before, behind] = [groups(left), groups(right)];
  return [...before, ...Array.from({ length: 8 - before.length - behind.length }, () => '0000'), ...behind].join('');
}

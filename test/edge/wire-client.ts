import { connect, type Socket } from 'node:net';
import { until } from '../support/gateway.ts';

/** A client on a plain socket. It can declare bodies that it never sends, and shows what the gateway writes. */
export class WireClient {
  readonly socket: Socket;
  text = '';
  isClosed = false;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.socket = connect(Number(port), hostname);
    this.socket.setNoDelay(true);
    this.socket.on('data', (chunk: Buffer) => (this.text += chunk.toString('latin1')));
    this.socket.on('error', () => {});
    this.socket.on('close', () => (this.isClosed = true));
  }

  write(...parts: readonly (string | Buffer)[]): void {
    for (const part of parts) this.socket.write(part);
  }

  /** Statuses of the responses so far, including informational ones. */
  get statuses(): readonly number[] {
    return [...this.text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
  }

  /** Waits for this number of responses. */
  async answers(count: number): Promise<readonly number[]> {
    return until(
      () => this.statuses.length >= count && this.statuses,
      `${count} answers, after ${JSON.stringify(this.text.slice(0, 200))}`,
    );
  }

  closed(withinMs?: number): Promise<boolean> {
    return until(() => this.isClosed, 'the connection to be closed', withinMs);
  }

  close(): void {
    this.socket.destroy();
  }
}

/** The head of a request; adds `host`. */
export function headOf(line: string, headers: Readonly<Record<string, string | number>> = {}): string {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

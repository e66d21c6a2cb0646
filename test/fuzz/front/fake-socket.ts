import { Duplex } from 'node:stream';

/** A connection without a network: the test pushes the incoming bytes, and outgoing bytes are stored. */
export class FakeSocket extends Duplex {
  readonly remoteAddress: string;
  readonly out: Buffer[] = [];
  bytesRead = 0;

  /** @param remoteAddress identifies the connection of a listener */
  constructor(remoteAddress: string) {
    super({ allowHalfOpen: true });
    this.remoteAddress = remoteAddress;
    this.on('error', () => {});
  }

  override push(chunk: Buffer | null): boolean {
    this.bytesRead += chunk?.length ?? 0;
    return super.push(chunk);
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.out.push(chunk);
    done();
  }

  setTimeout(): this {
    return this;
  }

  destroySoon(): void {
    this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  resetAndDestroy(): void {
    this.destroy();
  }

  /** All outgoing bytes, without the `Date` header, which changes every second. */
  get text(): string {
    return Buffer.concat(this.out)
      .toString('latin1')
      .replaceAll(/^Date: .*\r\n/gm, '');
  }
}

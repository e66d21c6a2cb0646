import { describe, expect, it } from 'vitest';
import { Upload } from './upload.ts';

async function* source(): AsyncGenerator<Buffer> {
  yield* ['a', 'b', 'c'].map((text) => Buffer.from(text));
}

function uploadAt(clock: { now: number }): { readonly upload: Upload; readonly chunks: AsyncIterator<Uint8Array> } {
  const open = () => ({ length: 3, contentType: 'text/plain', chunks: source() });
  const upload = new Upload({ kind: 'passing', open } as unknown as ConstructorParameters<typeof Upload>[0], () => clock.now);
  return { upload, chunks: upload[Symbol.asyncIterator]() };
}

/** Returns whether the event loop turned, so that the connections were read, before the next chunk was sent. */
async function turnsBefore(chunks: AsyncIterator<Uint8Array>): Promise<boolean> {
  let turned = false;
  setImmediate(() => (turned = true));
  await chunks.next();
  return turned;
}

describe('an upload', () => {
  it('lets the connections be read before each chunk, as long as a provider may refuse it', async () => {
    const clock = { now: 5000 };
    const { chunks } = uploadAt(clock);
    expect([await turnsBefore(chunks), await turnsBefore(chunks)]).toEqual([true, true]);
    clock.now += 1001;
    expect(await turnsBefore(chunks)).toBe(false);
  });

  it('that is cancelled before a chunk is sent fails', async () => {
    const { upload, chunks } = uploadAt({ now: 0 });
    const pending = chunks.next();
    setImmediate(() => upload.cancel());
    await expect(pending).rejects.toThrow('the attempt is over');
  });
});

import { expect, it } from 'vitest';
import { UpstreamBody, type UpstreamBodyOwner } from './upstream-body.ts';

/** A body whose source is paused before there is a consumer, and continues in the call that resumes it. */
class LargeBody extends UpstreamBody {
  protected readonly withholdsLast = false;
  left: number;

  /** @param pieces number of pieces of 100 KB */
  constructor(pieces: number) {
    let isPaused = false;
    const source = {
      now: () => 0,
      pauseSource: () => void (isPaused = true),
      resumeSource: () => {
        isPaused = false;
        run();
      },
    };
    super(source as unknown as UpstreamBodyOwner, 0);
    const run = (): void => {
      while (!isPaused && this.left > 0) {
        this.left -= 1;
        this.data(Buffer.alloc(100 * 1024));
      }
    };
    this.left = pieces;
    run();
  }

  data(bytes: Buffer): void {
    this.deliver({ bytes, events: [] });
  }

  finished(): void {}
}

it.each([
  ['a consumer that pauses gets only what was waiting for it', true, 3, 7],
  ['a consumer that does not pause gets all', false, 10, 0],
])('%s', (_what, pauses, received, left) => {
  const body = new LargeBody(10);
  let pieces = 0;
  body.into({
    data: () => {
      pieces += 1;
      if (pauses) body.pause();
    },
    end: () => {},
    fault: () => {},
  });
  expect([pieces, body.left]).toEqual([received, left]);
  body.resume();
  expect(pieces).toBe(pauses ? received + 1 : received);
});

import { describe, expect, it } from 'vitest';
import type { MaskingJob } from '../../core/redaction/bodies.ts';
import type { BodyRedactor } from '../../core/redaction/index.ts';
import { GroupCommit, type FullRecord } from './group-commit.ts';

const record = {} as FullRecord;
const fail = (): never => {
  throw new Error('boom');
};

/** Collects the jobs that wait to be masked, and the reported defects. */
function open(append: (records: readonly FullRecord[]) => void = () => {}, now: () => number = () => 0) {
  const jobs: MaskingJob[] = [];
  const defects: unknown[] = [];
  const masking = {
    add: (job: MaskingJob) => void jobs.push(job),
    flush: () => {
      for (const job of jobs.splice(0)) job.done(undefined, {});
    },
  };
  return { jobs, defects, commit: new GroupCommit(append, masking, (error) => defects.push(error), now) };
}

it('calls the other end callbacks if one of them throws', () => {
  const ended: string[] = [];
  const { commit, defects } = open();
  commit.add(record, () => ended.push('a'));
  commit.add(record, fail);
  commit.add(record, () => ended.push('c'));
  commit.flush();
  expect([ended, defects.length]).toEqual([['a', 'c'], 1]);
});

it('calls all end callbacks if the records cannot be written', () => {
  const ended: string[] = [];
  const { commit, defects } = open(fail);
  commit.add(record, () => ended.push('a'));
  commit.add(record, () => ended.push('b'));
  commit.flush();
  expect([ended, defects.length]).toEqual([['a', 'b'], 1]);
});

describe('GroupCommit with unmasked bodies', () => {
  const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const unmaskedRecord = (done: MaskingJob['done'] = () => {}): FullRecord => ({
    ...record,
    later: { redactor: {} as BodyRedactor, limit: 1, bodies: [], size: 1, done },
  });

  it('writes the record and ends its response after the bodies are masked', async () => {
    const events: string[] = [];
    const { commit, jobs } = open((records) => events.push(`written ${records.length}`));
    commit.add(
      unmaskedRecord(() => events.push('masked')),
      () => events.push('large ended'),
    );
    commit.add(record, () => events.push('small ended'));
    await nextTurn();
    jobs[0]?.done([], {});
    await nextTurn();
    expect(events).toEqual(['written 1', 'small ended', 'masked', 'written 1', 'large ended']);
  });

  it('writes the record without its bodies on flush()', () => {
    const events: unknown[] = [];
    const { commit } = open((records) => events.push(records.length));
    commit.add(
      unmaskedRecord((masked) => events.push(masked)),
      () => events.push('ended'),
    );
    commit.flush();
    expect(events).toEqual([undefined, 1, 'ended']);
  });

  it('writes the record and ends the response if applying the masked bodies fails', () => {
    const events: unknown[] = [];
    const { commit, defects } = open((records) => events.push(records.length));
    commit.add(unmaskedRecord(fail), () => events.push('ended'));
    commit.flush();
    expect([events, defects.length]).toEqual([[1, 'ended'], 1]);
  });

  it('allows masking on the event loop only up to 16 KiB', () => {
    const { commit } = open();
    expect([16 * 1024, 16 * 1024 + 1, 1].map(commit.mayMask)).toEqual([true, false, true]);
  });

  describe('after several ms of masking in a turn', () => {
    /** Masks a record of so many bytes, which takes so many milliseconds; returns whether it was allowed. */
    function start() {
      let now = 100;
      const { commit } = open(undefined, () => now);
      const masked = (bytes: number, ms: number): boolean => {
        const isAllowed = commit.mayMask(bytes);
        now += ms;
        commit.add(record, () => {});
        return isAllowed;
      };
      const pause = (ms: number): void => {
        now += ms;
        commit.add(record, () => {});
      };
      return { masked, pause };
    }

    it('disallows masking until the next turn', async () => {
      const { masked, pause } = start();
      expect(masked(16 * 1024, 8)).toBe(true);
      // Other work in the turn does not count as masking.
      pause(100);
      expect(masked(2048, 1)).toBe(true);
      expect(masked(10, 1)).toBe(false);
      await nextTurn();
      expect(masked(10, 1)).toBe(true);
    });

    it('allows masking if the process was suspended', () => {
      const { masked } = start();
      expect([masked(1024, 50), masked(1024, 50), masked(1024, 50)]).toEqual([true, true, true]);
    });
  });
});

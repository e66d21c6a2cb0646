import { describe, expect, it } from 'vitest';
import type { MaskingJob } from '../../core/redaction/bodies.ts';
import type { BodyRedactor } from '../../core/redaction/index.ts';
import { GroupCommit, type FullRecord } from './group-commit.ts';

const record = {} as FullRecord;
const boom = (): never => {
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
  commit.add(record, boom);
  commit.add(record, () => ended.push('c'));
  commit.flush();
  expect([ended, defects.length]).toEqual([['a', 'c'], 1]);
});

it('calls all end callbacks if the records cannot be written', () => {
  const ended: string[] = [];
  const { commit, defects } = open(boom);
  commit.add(record, () => ended.push('a'));
  commit.add(record, () => ended.push('b'));
  commit.flush();
  expect([ended, defects.length]).toEqual([['a', 'b'], 1]);
});

describe('GroupCommit with unmasked bodies', () => {
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const unmasked = (done: MaskingJob['done'] = () => {}): FullRecord => ({
    ...record,
    later: { redactor: {} as BodyRedactor, limit: 1, bodies: [], size: 1, done },
  });

  it('writes the record and ends its response after the bodies are masked', async () => {
    const seen: string[] = [];
    const { commit, jobs } = open((records) => seen.push(`written ${records.length}`));
    commit.add(
      unmasked(() => seen.push('masked')),
      () => seen.push('large ended'),
    );
    commit.add(record, () => seen.push('small ended'));
    await turn();
    jobs[0]?.done([], {});
    await turn();
    expect(seen).toEqual(['written 1', 'small ended', 'masked', 'written 1', 'large ended']);
  });

  it('writes the record without its bodies on flush()', () => {
    const seen: unknown[] = [];
    const { commit } = open((records) => seen.push(records.length));
    commit.add(
      unmasked((masked) => seen.push(masked)),
      () => seen.push('ended'),
    );
    commit.flush();
    expect(seen).toEqual([undefined, 1, 'ended']);
  });

  it('writes the record and ends the response if applying the masked bodies fails', () => {
    const seen: unknown[] = [];
    const { commit, defects } = open((records) => seen.push(records.length));
    commit.add(unmasked(boom), () => seen.push('ended'));
    commit.flush();
    expect([seen, defects.length]).toEqual([[1, 'ended'], 1]);
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
        const may = commit.mayMask(bytes);
        now += ms;
        commit.add(record, () => {});
        return may;
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
      await turn();
      expect(masked(10, 1)).toBe(true);
    });

    it('allows masking if the process was suspended', () => {
      const { masked } = start();
      expect([masked(1024, 50), masked(1024, 50), masked(1024, 50)]).toEqual([true, true, true]);
    });
  });
});

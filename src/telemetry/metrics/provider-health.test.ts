import { describe, expect, it } from 'vitest';
import { ProviderHealth } from './provider-health.ts';

const minute = 60_000;
const noon = 1_795_262_400_000;

describe('ProviderHealth', () => {
  it.each<[string, (readonly [isFailure: boolean, at: number])[], number, boolean]>([
    ['is up without attempts', [], 0, true],
    [
      'is up after two failures',
      [
        [true, 0],
        [true, 1],
      ],
      1,
      true,
    ],
    [
      'is down after three failures',
      [
        [true, 0],
        [true, 1],
        [true, 2],
      ],
      2,
      false,
    ],
    [
      'is up if one attempt succeeded',
      [
        [true, 0],
        [false, 1],
        [true, 2],
        [true, 3],
      ],
      3,
      true,
    ],
    [
      'is down if the success was too long ago',
      [
        [false, 0],
        [true, 6 * minute],
        [true, 6 * minute],
        [true, 6 * minute],
      ],
      6 * minute,
      false,
    ],
    [
      'is up if the failures were too long ago',
      [
        [true, 0],
        [true, 0],
        [true, 0],
      ],
      5 * minute,
      true,
    ],
    [
      'is up after one day',
      [
        [true, 0],
        [true, 0],
        [true, 0],
      ],
      1440 * minute,
      true,
    ],
    [
      'is down after three failures if the clock was set back',
      [
        [true, 0],
        [true, -minute],
        [true, -9 * minute],
      ],
      0,
      false,
    ],
  ])('%s', (_, attempts, checkedAt, isUp) => {
    const health = new ProviderHealth();
    for (const [isFailure, offsetMs] of attempts) health.add(isFailure, noon + offsetMs);
    expect(health.isUp(noon + checkedAt)).toBe(isUp);
  });
});

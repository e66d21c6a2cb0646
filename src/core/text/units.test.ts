import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { formatAge, formatDuration, formatSize, parseDuration, parseSize, parseTime } from './units.ts';

const second = 1000;
const mib = 1024 ** 2;

describe('parseDuration', () => {
  it.each<[string | number, number | undefined]>([
    ['30s', 30 * second],
    ['5m', 300 * second],
    ['14d', 14 * 86_400 * second],
    ['2h', 7200 * second],
    ['250ms', 250],
    ['1.5s', 1500],
    ['250', 250],
    [250, 250],
    [' 10 s ', 10 * second],
    ['10S', 10 * second],
    ['0s', 0],
    ['', undefined],
    ['s', undefined],
    ['-5s', undefined],
    [-5, undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    ['5 weeks', undefined],
    ['5s5', undefined],
    ['1e3', undefined],
    ['5constructor', undefined],
    ['99999999999999999d', undefined],
  ])('reads %j as %j milliseconds', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });
});

describe('parseSize', () => {
  it.each<[string | number, number | undefined]>([
    ['50MB', 50 * mib],
    ['50mb', 50 * mib],
    ['50M', 50 * mib],
    ['50MiB', 50 * mib],
    ['256KB', 256 * 1024],
    ['2 GB', 2 * 1024 * mib],
    ['1.5KB', 1536],
    ['12B', 12],
    ['12', 12],
    [12, 12],
    ['', undefined],
    ['MB', undefined],
    ['-1KB', undefined],
    ['5 pages', undefined],
    ['5iB', undefined],
  ])('reads %j as %j bytes', (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
  });
});

describe('formatAge', () => {
  it.each([
    [0, 'now'],
    [4.4, 'now'],
    [-4.4, 'now'],
    [6.29, '6 s ago'],
    [-12, 'in 12 s'],
    [59.6, '1 min ago'],
    [3599, '59 min ago'],
    [3600, '1 h ago'],
    [172_799, '47 h ago'],
    [172_800, '2 d ago'],
    [-259_200, 'in 3 d'],
  ])('formats a time %d s before as %s', (seconds, text) => {
    const now = 1_700_000_000_000;
    expect(formatAge(now - seconds * second, now)).toBe(text);
  });
});

describe('formatDuration', () => {
  it.each([
    [0, '0 ms'],
    [0.04, '< 0.1 ms'],
    [0.62, '0.6 ms'],
    [0.96, '1.0 ms'],
    [1.25, '1.3 ms'],
    [9.94, '9.9 ms'],
    [9.95, '10 ms'],
    [812.4, '812 ms'],
    [999.6, '1.00 s'],
    [1940, '1.94 s'],
    [9996, '10.0 s'],
    [12_340, '12.3 s'],
    [59_960, '1 min'],
    [200_000, '3 min 20 s'],
    [7_500_000, '2 h 5 min'],
    [14 * 86_400_000, '14 d'],
    [26 * 3_600_000, '1 d 2 h'],
  ])('writes %d milliseconds as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});

describe('formatSize', () => {
  it.each([
    [0, '0 B'],
    [812, '812 B'],
    [1024, '1 KB'],
    [1_048_575, '1 MB'],
    [50 * mib, '50 MB'],
    [1.5 * 1024 * mib, '1.5 GB'],
  ])('writes %d bytes as %s', (bytes, text) => {
    expect(formatSize(bytes)).toBe(text);
  });
});

describe('parseTime', () => {
  it.each([
    ['2027-03-01', '2027-03-01T00:00:00.000Z'],
    ['2027-03-01T12:00', '2027-03-01T12:00:00.000Z'],
    ['2027-03-01T12:00:00.5', '2027-03-01T12:00:00.500Z'],
    ['2027-03-01T12:00:00Z', '2027-03-01T12:00:00.000Z'],
    ['2027-03-01T12:00:00+01:00', '2027-03-01T11:00:00.000Z'],
    ['2027-03-01T12:00-0130', '2027-03-01T13:30:00.000Z'],
  ])('reads %s independent of the local time zone', (text, utc) => {
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const timeZone of ['UTC', 'America/New_York', 'Asia/Kolkata']) {
      vi.stubEnv('TZ', timeZone);
      expect(new Date(parseTime(text)).toISOString()).toBe(utc);
    }
  });

  it.each(['', 'soon', '2027-03-01T25:00'])('returns NaN for %j', (text) => {
    expect(parseTime(text)).toBeNaN();
  });
});

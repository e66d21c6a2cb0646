/** Milliseconds per unit of time. */
const durations = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Bytes per unit of size. `1MB` is 1024² bytes, as in the limits of other servers; `MiB` means the same. */
const sizes = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 } as const;

/** A size as configuration files have it, as a pattern. */
export const sizePattern = '^\\d+(\\.\\d+)?\\s?([KMGT]i?)?B$';

const amount = /^(\d+(?:\.\d+)?)\s*([a-zA-Z]*)$/;

/** Parses `30s`, `5m`, `1.5h`, `14d`, `250ms`; a number without unit is milliseconds. Returns milliseconds, or undefined if invalid. */
export function parseDuration(value: string | number): number | undefined {
  const [count, unit] = split(value);
  const factor = unit === '' ? 1 : lookUp(durations, unit.toLowerCase());
  return toWhole(count, factor);
}

/** Parses `50MB`, `256KB`, `2GiB`; a number without unit is bytes, and 1 MB is 1024² bytes. Returns bytes, or undefined if invalid. */
export function parseSize(value: string | number): number | undefined {
  const [count, unit] = split(value);
  const factor = unit === '' ? 1 : lookUp(sizes, unit.toUpperCase().replace(/^([KMGT])(?:I?B)?$/, '$1B'));
  return toWhole(count, factor);
}

/**
 * Parses `2027-03-01`, `2027-03-01T12:00`, `2027-03-01T12:00:00+01:00` to Unix milliseconds. Without a zone it is UTC,
 * regardless of the machine's time zone. NaN if invalid.
 */
export const parseTime = (text: string): number => Date.parse(/T[\d:.]+$/.test(text) ? `${text}Z` : text);

/** Formats a duration for display, in commands and the dashboard: `0 ms`, `1.3 ms`, `812 ms`, `1.94 s`, `3 min 20 s`, `14 d`. */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0 ms';
  if (ms < 0.05) return '< 0.1 ms';
  if (ms < 9.95) return `${ms.toFixed(1)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9995) return `${(ms / 1000).toFixed(2)} s`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return join(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  const minutes = Math.round(seconds / 60);
  if (minutes < 1440) return join(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  const hours = Math.round(minutes / 60);
  return join(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

/** Formats a point in time for display, in one unit: `12 s ago`, `5 min ago`, `in 3 d`; `now` up to 5 s before or after. */
export function formatAge(at: number, now: number): string {
  const seconds = Math.round((now - at) / 1000);
  const size = Math.abs(seconds);
  if (size < 5) return 'now';
  const text =
    size < 60
      ? `${size} s`
      : size < 3600
        ? `${Math.floor(size / 60)} min`
        : size < 172_800
          ? `${Math.floor(size / 3600)} h`
          : `${Math.floor(size / 86_400)} d`;
  return seconds > 0 ? `${text} ago` : `in ${text}`;
}

/** Formats a size for display: `812 B`, `50 MB`, `1.5 GB`; 1 MB is 1024² bytes. */
export function formatSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  const names = Object.keys(sizes);
  while (value >= 1023.95 && unit < names.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? Math.round(value) : Math.round(value * 10) / 10} ${names[unit] ?? 'B'}`;
}

function split(value: string | number): readonly [count: number, unit: string] {
  if (typeof value === 'number') return [value, ''];
  const match = amount.exec(value.trim());
  return match === null ? [Number.NaN, ''] : [Number(match[1]), match[2] ?? ''];
}

function toWhole(count: number, factor: number | undefined): number | undefined {
  if (factor === undefined || !Number.isFinite(count) || count < 0) return undefined;
  const whole = Math.round(count * factor);
  return Number.isSafeInteger(whole) ? whole : undefined;
}

function lookUp(table: Readonly<Record<string, number>>, name: string): number | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

function join(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`;
}

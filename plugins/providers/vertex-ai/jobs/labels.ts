import { parseJson } from '#core/json/scan.ts';
import { isPlain, type Plain } from '#core/json/merge.ts';
import type { Dropped } from '#core/provider.ts';
import { base32, fromBase32 } from './base32.ts';

/**
 * Metadata of batches and tuning jobs lives in labels, the only place that the service keeps for it. Labels are short and
 * lower-case, so the pairs travel as JSON in base 32 over as many labels as it takes.
 */

/** Labels of one resource, and characters of a value: the service's own limits. */
const mostLabels = 64;
const longest = 63;
/** Bytes that one label's value holds in base 32. */
const bytesEach = Math.floor((longest * 5) / 8);

const prefix = 'gateway_m';

/** Labels that say what a job is about, beside the metadata. */
export const endpointLabel = 'gateway_endpoint';

export interface Labelled {
  readonly labels: Readonly<Record<string, string>>;
  readonly dropped: readonly Dropped[];
}

/**
 * The labels of a job: what it is about, the caller's own, and the metadata as far as there is room. Pairs that find none
 * are reported.
 */
export function labelsOf(own: Readonly<Record<string, string>>, callers: unknown, metadata: unknown): Labelled {
  const given = isPlain(callers) ? texts(callers) : {};
  const base = { ...given, ...own };
  const room = (mostLabels - Object.keys(base).length) * bytesEach;
  // Written anew each time: assigned to, "__proto__" would be no name like every other.
  let kept: Readonly<Record<string, string>> = {};
  const dropped: Dropped[] = noTexts(callers);
  for (const [key, value] of Object.entries(isPlain(metadata) ? texts(metadata) : {})) {
    const more = { ...kept, [key]: value };
    if (Buffer.byteLength(JSON.stringify(more)) <= room) kept = more;
    else dropped.push({ param: `metadata.${key}`, reason: 'the job has no space for more labels' });
  }
  return { labels: { ...base, ...(Object.keys(kept).length === 0 ? {} : written(kept)) }, dropped };
}

/** Labels of the caller that can be none. */
function noTexts(callers: unknown): Dropped[] {
  if (callers === undefined || callers === null) return [];
  if (!isPlain(callers)) return [{ param: 'labels', reason: 'not a mapping of names to texts' }];
  const names = Object.keys(callers).filter((name) => callers[name] !== null && typeof callers[name] !== 'string');
  return names.map((name) => ({ param: `labels.${name}`, reason: 'not a text' }));
}

function written(metadata: Readonly<Record<string, string>>): Record<string, string> {
  const bytes = Buffer.from(JSON.stringify(metadata), 'utf8');
  const labels: Record<string, string> = {};
  for (let at = 0, index = 0; at < bytes.length; at += bytesEach, index += 1) {
    labels[`${prefix}${String(index).padStart(2, '0')}`] = base32(bytes.subarray(at, at + bytesEach));
  }
  return labels;
}

/** The metadata that such labels hold; null where there is none. */
export function metadataOf(labels: unknown): Readonly<Record<string, string>> | null {
  if (!isPlain(labels)) return null;
  const parts = Object.keys(labels)
    .filter((name) => /^gateway_m\d\d$/.test(name))
    .sort()
    .map((name) => fromBase32(String(labels[name])));
  if (parts.length === 0) return null;
  try {
    const value: unknown = parseJson(Buffer.concat(parts).toString('utf8'));
    return isPlain(value) ? texts(value) : null;
  } catch {
    // Somebody else wrote labels of these names.
    return null;
  }
}

/** Labels that are not the gateway's own. */
const texts = (object: Plain): Record<string, string> =>
  Object.fromEntries(Object.entries(object).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])));

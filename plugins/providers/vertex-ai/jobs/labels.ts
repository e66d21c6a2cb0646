import { parseJson } from '#core/json/scan.ts';
import { isPlain, type Plain } from '#core/json/merge.ts';
import type { Dropped } from '#core/provider.ts';
import { base32, fromBase32 } from './base32.ts';

/**
 * Metadata of batches and tuning jobs is stored in labels, because the service has no other field for it. Labels are short and
 * lower-case, so the pairs are encoded as JSON in base 32 and split over as many labels as needed.
 */

/** Maximum number of labels per resource, and of characters per value: the service's own limits. */
const mostLabels = 64;
const longest = 63;
/** Number of bytes in one label's value in base 32. */
const bytesEach = Math.floor((longest * 5) / 8);

const prefix = 'gateway_m';

/** Label with the endpoint of a job, in addition to the metadata. */
export const endpointLabel = 'gateway_endpoint';

export interface Labelled {
  readonly labels: Readonly<Record<string, string>>;
  readonly dropped: readonly Dropped[];
}

/** Returns the labels of a job: the gateway's own, the caller's, and the metadata that fits. Other pairs are reported as dropped. */
export function labelsOf(own: Readonly<Record<string, string>>, callers: unknown, metadata: unknown): Labelled {
  const given = isPlain(callers) ? texts(callers) : {};
  const base = { ...given, ...own };
  const room = (mostLabels - Object.keys(base).length) * bytesEach;
  // A new object each time: an assignment to "__proto__" would change the prototype.
  let kept: Readonly<Record<string, string>> = {};
  const dropped: Dropped[] = noTexts(callers);
  for (const [key, value] of Object.entries(isPlain(metadata) ? texts(metadata) : {})) {
    const more = { ...kept, [key]: value };
    if (Buffer.byteLength(JSON.stringify(more)) <= room) kept = more;
    else dropped.push({ param: `metadata.${key}`, reason: 'the job has no space for more labels' });
  }
  return { labels: { ...base, ...(Object.keys(kept).length === 0 ? {} : written(kept)) }, dropped };
}

/** Returns the caller's labels that are not valid. */
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

/** Returns the metadata from such labels; null if there is none. */
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
    // Another client set labels with these names.
    return null;
  }
}

/** Keeps only the members that are strings. */
const texts = (object: Plain): Record<string, string> =>
  Object.fromEntries(Object.entries(object).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])));

import { parseJson } from '#core/json/scan.ts';
import { isJsonObject, type JsonObject } from '#core/json/merge.ts';
import type { Dropped } from '#core/provider.ts';
import { base32, fromBase32 } from './base32.ts';

/**
 * Metadata of batches and tuning jobs is stored in labels, because the service has no other field for it. Labels are short and
 * lower-case, so the pairs are encoded as JSON in base 32 and split over as many labels as needed.
 */

/** Maximum number of labels per resource, and of characters per value: the service's own limits. */
const maxLabels = 64;
const maxValueLength = 63;
/** Number of bytes in one label's value in base 32. */
const bytesPerLabel = Math.floor((maxValueLength * 5) / 8);

const prefix = 'gateway_m';

/** Label with the endpoint of a job, in addition to the metadata. */
export const endpointLabel = 'gateway_endpoint';

export interface Labelled {
  readonly labels: Readonly<Record<string, string>>;
  readonly dropped: readonly Dropped[];
}

/** Returns the labels of a job: the gateway's own, the caller's, and the metadata that fits. Other pairs are reported as dropped. */
export function labelsOf(gatewayLabels: Readonly<Record<string, string>>, callerLabels: unknown, metadata: unknown): Labelled {
  const validLabels = isJsonObject(callerLabels) ? stringMembers(callerLabels) : {};
  const base = { ...validLabels, ...gatewayLabels };
  const maxBytes = (maxLabels - Object.keys(base).length) * bytesPerLabel;
  // A new object each time: an assignment to "__proto__" would change the prototype.
  let stored: Readonly<Record<string, string>> = {};
  const dropped: Dropped[] = invalidLabels(callerLabels);
  for (const [key, value] of Object.entries(isJsonObject(metadata) ? stringMembers(metadata) : {})) {
    const extended = { ...stored, [key]: value };
    if (Buffer.byteLength(JSON.stringify(extended)) <= maxBytes) stored = extended;
    else dropped.push({ param: `metadata.${key}`, reason: 'does not fit into the labels of a job (64 labels of 63 characters)' });
  }
  return { labels: { ...base, ...(Object.keys(stored).length === 0 ? {} : encodedLabels(stored)) }, dropped };
}

/** Returns the caller's labels that are not valid. */
function invalidLabels(callerLabels: unknown): Dropped[] {
  if (callerLabels === undefined || callerLabels === null) return [];
  if (!isJsonObject(callerLabels)) return [{ param: 'labels', reason: 'not a mapping of names to texts' }];
  const names = Object.keys(callerLabels).filter((name) => callerLabels[name] !== null && typeof callerLabels[name] !== 'string');
  return names.map((name) => ({ param: `labels.${name}`, reason: 'not a text' }));
}

function encodedLabels(metadata: Readonly<Record<string, string>>): Record<string, string> {
  const bytes = Buffer.from(JSON.stringify(metadata), 'utf8');
  const labels: Record<string, string> = {};
  for (let at = 0, index = 0; at < bytes.length; at += bytesPerLabel, index += 1) {
    labels[`${prefix}${String(index).padStart(2, '0')}`] = base32(bytes.subarray(at, at + bytesPerLabel));
  }
  return labels;
}

/** Returns the metadata from such labels; null if there is none. */
export function metadataOf(labels: unknown): Readonly<Record<string, string>> | null {
  if (!isJsonObject(labels)) return null;
  const parts = Object.keys(labels)
    .filter((name) => /^gateway_m\d\d$/.test(name))
    .sort()
    .map((name) => fromBase32(String(labels[name])));
  if (parts.length === 0) return null;
  try {
    const value: unknown = parseJson(Buffer.concat(parts).toString('utf8'));
    return isJsonObject(value) ? stringMembers(value) : null;
  } catch {
    // Another client set labels with these names.
    return null;
  }
}

/** Keeps only the members that are strings. */
const stringMembers = (object: JsonObject): Record<string, string> =>
  Object.fromEntries(Object.entries(object).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])));

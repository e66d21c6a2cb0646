import type { StoredRecord } from '../../core/logs/reader.ts';

/**
 * Number of masked values in a stored body, each replaced by its kind in brackets. The record's own count covers all its
 * texts together.
 */
export function countMasked({ record: { redactions } }: StoredRecord, body: string): number {
  let count = 0;
  for (const [kind, found] of Object.entries(redactions)) {
    const here = body.split(`[${kind}]`).length + body.split(`[${kind} `).length - 2;
    count += Math.min(found, here);
  }
  return count;
}

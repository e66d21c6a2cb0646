import type { StoredRecord } from '../../core/logs/reader.ts';

/** In how many places a kept body is masked. A record counts those of all its texts together: each is replaced by its kind in brackets. */
export function maskedIn({ record: { redactions } }: StoredRecord, body: string): number {
  let count = 0;
  for (const [kind, found] of Object.entries(redactions)) {
    const here = body.split(`[${kind}]`).length + body.split(`[${kind} `).length - 2;
    count += Math.min(found, here);
  }
  return count;
}

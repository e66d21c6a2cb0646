import { isJsonObject } from '../../core/json/merge.ts';
import type { FeedbackInput } from '../../core/logs/reader.ts';
import type { LogStore, StoredEntry } from './log-store.ts';
import type { RecordHead } from './stored-row.ts';

/**
 * Stores the feedback in records, before the records themselves. After a crash in between, the same feedback is stored
 * again under the same id.
 */
export async function storeFeedback(store: LogStore, entries: readonly StoredEntry[]): Promise<void> {
  for (const { feedback } of entries) if (feedback !== undefined) await store.feedback(feedback);
}

/** The feedback in a record of the feedback routes. */
export function feedbackOf({ endpoint, status, notes }: RecordHead): FeedbackInput | undefined {
  if ((endpoint !== 'feedback' && endpoint !== 'feedback/{id}') || status !== 200) return undefined;
  const { id, trace_id: trace, value, weight, metadata, at } = notes['feedback'] ?? {};
  if (typeof id !== 'string' || typeof trace !== 'string') return undefined;
  if (typeof value !== 'number' || typeof at !== 'number') return undefined;
  return {
    id,
    trace_id: trace,
    value,
    weight: typeof weight === 'number' ? weight : null,
    metadata: isJsonObject(metadata) ? metadata : null,
    at,
  };
}

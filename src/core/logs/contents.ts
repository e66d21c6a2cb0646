import type { LogRecord, MessageRecord } from '../records/record.ts';
import type { StoredRecord } from './reader.ts';
import type { LogRow } from './row.ts';

/** A row without what users wrote. */
export const bareRow = (row: LogRow): LogRow => ({ ...row, preview: null });

/** A record without what users wrote: headers have names alone. */
export function bareRecord(stored: StoredRecord): StoredRecord {
  const { record, feedback } = stored;
  const { request, upstream, response } = record;
  return {
    ...stored,
    feedback: feedback.map((one) => ({ ...one, metadata: {} })),
    record: {
      ...record,
      preview: null,
      notes: withoutComment(record.notes),
      request: bareMessage(request),
      upstream: bareMessage(upstream),
      response: bareMessage(response),
    },
  };
}

/** What was said of a response may be a sentence about it. */
function withoutComment(notes: LogRecord['notes']): LogRecord['notes'] {
  const { feedback } = notes;
  return feedback === undefined ? notes : { ...notes, feedback: { ...feedback, metadata: {} } };
}

/** What was patched into a body is content too. */
function bareMessage({ headers, body, why_absent: why }: MessageRecord): MessageRecord {
  return {
    headers: Object.fromEntries(Object.keys(headers).map((name) => [name, '•••'])),
    body: body === null ? null : { ...body, patch: null },
    why_absent: why,
  };
}

import type { LogRecord, MessageRecord } from '../records/record.ts';
import { hiddenValue } from '../secrets/credential-names.ts';
import type { StoredRecord } from './reader.ts';
import type { LogRow } from './row.ts';

/** Returns a row without texts written by users. */
export const rowWithoutContent = (row: LogRow): LogRow => ({ ...row, preview: null });

/** Returns a record without texts written by users: headers keep only their names. */
export function recordWithoutContent(stored: StoredRecord): StoredRecord {
  const { record, feedback } = stored;
  const { request, upstream, response } = record;
  return {
    ...stored,
    feedback: feedback.map((one) => ({ ...one, metadata: {} })),
    record: {
      ...record,
      preview: null,
      notes: withoutComment(record.notes),
      request: messageWithoutContent(request),
      upstream: messageWithoutContent(upstream),
      response: messageWithoutContent(response),
    },
  };
}

/** Feedback metadata may contain a comment written by a user. */
function withoutComment(notes: LogRecord['notes']): LogRecord['notes'] {
  const { feedback } = notes;
  return feedback === undefined ? notes : { ...notes, feedback: { ...feedback, metadata: {} } };
}

/** Body patches are content, too. */
function messageWithoutContent({ headers, body, why_absent: why }: MessageRecord): MessageRecord {
  return {
    headers: Object.fromEntries(Object.keys(headers).map((name) => [name, hiddenValue])),
    body: body === null ? null : { ...body, patch: null },
    why_absent: why,
  };
}

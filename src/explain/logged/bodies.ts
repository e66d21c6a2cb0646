import { JsonBody } from '../../core/json/body.ts';
import type { JsonObject } from '../../core/json/merge.ts';
import { tryParseObject } from '../../core/json/scan.ts';
import { recordNotFound } from '../../core/logs/not-found.ts';
import type { BodyPart, LogReader, StoredRecord } from '../../core/logs/reader.ts';
import type { MessageRecord } from '../../core/records/record.ts';

/** The parts of the request log that explaining needs. */
export type LogAccess = Pick<LogReader, 'get' | 'body'>;

/** @throws GatewayError `record_not_found` */
export async function recordOf(logs: LogAccess, id: string): Promise<StoredRecord> {
  const stored = await logs.get(id);
  if (stored !== undefined) return stored;
  throw recordNotFound(id);
}

/** A stored body, or the reason why no complete body is stored. */
export type LoggedBody = { readonly text: string } | { readonly why: string };

export async function loggedBody(logs: LogAccess, { record }: StoredRecord, part: BodyPart): Promise<LoggedBody> {
  const message = record[part];
  if (message.body === null) return { why: absenceReason(part, message) };
  const { size, kept, same_as: same } = message.body;
  if (same !== null)
    return part === 'upstream'
      ? applyPatch(await loggedBody(logs, { record, bodies: [], feedback: [] }, 'request'), message.body.patch)
      : { why: 'it is not kept' };
  if (kept < size) return { why: `only ${kept} of the ${size} bytes of the ${part} body are kept (logging.requests.max_body)` };
  const bytes = await logs.body(record.id, part);
  return bytes === undefined ? { why: `the ${part} body is not kept any more` } : { text: Buffer.from(bytes).toString('utf8') };
}

function absenceReason(part: BodyPart, { why_absent: why }: MessageRecord): string {
  if (why === null) return `the ${part} body is not kept`;
  return why.includes('.') ? `the ${part} body is not kept (${why})` : `the ${part} body is not kept: ${why}`;
}

/** The client's body with the patched members applied. Null in the patch removes a member. */
function applyPatch(request: LoggedBody, patch: JsonObject | null): LoggedBody {
  if (!('text' in request) || patch === null) return request;
  if (tryParseObject(request.text) === undefined) return { why: 'the request body is no JSON object' };
  const body = JsonBody.from(Buffer.from(request.text, 'utf8'));
  return {
    text: body
      .edit(new Map(Object.entries(patch).map(([key, value]) => [key, value ?? undefined])))
      .bytes()
      .toString('utf8'),
  };
}

import { defect, plainErrorBody } from '../../core/error.ts';
import { minimalRecord } from '../../core/records/minimal.ts';
import type { Client } from '../../core/http/client.ts';
import type { LogRecord } from '../../core/records/record.ts';
import type { HandleDeps } from '../handle-deps.ts';
import type { RequestContext } from '../request.ts';
import type { Execution } from '../execute.ts';
import { recordedError } from '../record/facts.ts';
import { makeRecord } from '../record/index.ts';
import type { Ending } from '../record/messages.ts';
import type { FullRecord } from '../record/group-commit.ts';

/** The response and the record of a request for which building the normal ones threw an error. */

const failed = defect();

export const plainError: NonNullable<LogRecord['error']> = Object.freeze(recordedError(failed));

const plainBody: Buffer = Buffer.from(plainErrorBody(failed));

/** Sends a fixed error response, or cuts a response that has begun. Uses no code that could fail. */
export function sendPlainError(client: Client, id: string, isHeadSent: boolean): void {
  if (isHeadSent) {
    client.destroy();
    return;
  }
  client.head(500, ['content-type', 'application/json', 'content-length', plainBody.length.toString(), 'x-request-id', id]);
  client.end(plainBody);
}

/** Makes the record of a request. If that throws, makes a minimal record without attempts and bodies. */
export function recordOf(
  ctx: RequestContext,
  run: Execution | undefined,
  ending: Ending,
  { commit, onDefect }: Pick<HandleDeps, 'commit' | 'onDefect'>,
): FullRecord {
  try {
    return makeRecord(ctx, run, ending, commit.mayMask);
  } catch (thrown) {
    onDefect(thrown, ctx.id);
    return minimalRecordOf(ctx, ending);
  }
}

function minimalRecordOf(ctx: RequestContext, { status, end, error, totalMs }: Ending): FullRecord {
  const { id, at, endpoint, method, path, stream, random } = ctx;
  const { revision } = ctx.snapshot;
  return {
    record: minimalRecord({ id, at, endpoint, method, path, stream, random, revision, status, end, error, totalMs }),
    request: [],
    upstream: [],
    response: [],
  };
}

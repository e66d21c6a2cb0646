import type { Status } from '../../admin/api-types.ts';
import type { ExplainRequest } from '../../core/logs/explanation.ts';
import type { BodyPart, StoredRecord } from '../../core/logs/reader.ts';
import { loggedBody, type LogAccess, recordOf } from '../../explain/logged/bodies.ts';
import { replayRequest } from '../../explain/logged/request.ts';
import { type HeaderNames, headerNames } from '../../transport/inbound/header-bag.ts';
import type { AdminClient } from '../admin-client.ts';
import { asCommandError, exitCodes } from '../command.ts';
import { resolveId } from '../logs/resolve-id.ts';

/** Request log of a running gateway. Ids may be abbreviated, as for `gateway logs show`. */
export function requestLogOf(client: AdminClient): LogAccess {
  const at = (id: string): string => `/api/requests/${encodeURIComponent(id)}`;
  return {
    get: async (id) => client.get<StoredRecord>(at(await resolveId(id, client))),
    body: (id: string, part: BodyPart) => client.bytes(`${at(id)}/body`, { part }),
  };
}

/** Gateway headers that a running gateway accepts. @throws CommandError */
export async function configuredHeaderNames(client: AdminClient): Promise<HeaderNames> {
  return headerNames((await client.get<Status>('/api/status')).header_prefixes);
}

/**
 * A recorded request, and the request that would repeat it.
 * @throws CommandError
 */
export async function loggedRequest(
  id: string,
  logs: LogAccess,
  names: HeaderNames,
): Promise<{ stored: StoredRecord; request: ExplainRequest }> {
  try {
    const stored = await recordOf(logs, id);
    return { stored, request: replayRequest(stored, await loggedBody(logs, stored, 'request'), names) };
  } catch (error) {
    throw asCommandError(error, exitCodes.no);
  }
}

import type { ExplainRequest } from '../../core/logs/explanation.ts';
import type { BodyPart, StoredRecord } from '../../core/logs/reader.ts';
import { bodyIn, type Logged, recordOf } from '../../explain/logged/bodies.ts';
import { requestAgain } from '../../explain/logged/request.ts';
import { GatewayError } from '../../core/error.ts';
import type { AdminClient } from '../admin-client.ts';
import { CommandError, exitCodes } from '../command.ts';
import { wholeId } from '../logs/whole-id.ts';

/** Request log of a running gateway. Ids may be abbreviated, as for `gateway logs show`. */
export function logsOf(client: AdminClient): Logged {
  const at = (id: string): string => `/api/requests/${encodeURIComponent(id)}`;
  return {
    get: async (id) => client.get<StoredRecord>(at(await wholeId(id, client))),
    body: (id: string, part: BodyPart) => client.bytes(`${at(id)}/body`, { part }),
  };
}

/**
 * A recorded request, and the request that would repeat it.
 * @throws CommandError
 */
export async function loggedRequest(id: string, logs: Logged): Promise<{ stored: StoredRecord; request: ExplainRequest }> {
  try {
    const stored = await recordOf(logs, id);
    return { stored, request: requestAgain(stored, await bodyIn(logs, stored, 'request')) };
  } catch (error) {
    if (error instanceof GatewayError) throw new CommandError(exitCodes.no, error.message.replace(/\.$/, ''), error.hint);
    throw error;
  }
}

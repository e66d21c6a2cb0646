import { isJsonObject } from '../../core/json/merge.ts';
import { printable } from '../../core/text/printable.ts';
import { version } from '../../gateway/version.ts';
import { CommandError, exitCodes } from '../command.ts';
import type { RemoteGateway } from '../io.ts';

/**
 * Explains the TypeError or RangeError that ended a command. If a response did not have the expected form, because another program or a
 * gateway of another version sent it, the result is an error that reports this; otherwise the same error.
 *
 * @param gateway the gateway that the command called
 */
export async function explainUnexpectedResponse(error: unknown, gateway: RemoteGateway | undefined): Promise<unknown> {
  if (gateway === undefined) return error;
  const session = await gateway.get<unknown>('/api/session').catch(() => undefined);
  const other = isJsonObject(session) ? session['version'] : undefined;
  if (other === version) return error;
  if (typeof other !== 'string')
    return new CommandError(exitCodes.unreachable, `${gateway.shown} is not a gateway: it may be another program`);
  return new CommandError(
    exitCodes.no,
    `${gateway.shown} is a gateway of version ${printable(other)}, whose response version ${version} does not understand`,
    'Use the gateway command of that version.',
  );
}

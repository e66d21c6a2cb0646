import type { Dialect } from '../../core/dialect.ts';
import type { ErrorFacts, GatewayError } from '../../core/error.ts';
import { parseJson } from '../../core/json/scan.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import type { Outcome } from '../../core/plan.ts';
import { providerError } from './errors.ts';

/**
 * The last bytes of a stream that passes unchanged, and the error they contain. A proxy in front of a model may send an
 * error format that the client's libraries do not read. Such an error is rewritten.
 */
export function lastPiece(tail: Buffer, last: Outcome | undefined, dialect: Dialect, requestId: string): LastPiece {
  const reported = last?.kind === 'answered' ? last.reply.tap?.fault : undefined;
  if (last === undefined || reported === undefined) return { fault: undefined, bytes: tail };
  const fault = providerError(last.attempt, reported.status ?? 502, reported);
  return { fault, bytes: isForeign(tail.toString('utf8'), dialect) ? dialect.errorEvent(fault, eventFacts(requestId, last)) : tail };
}

/** The facts for an error event that ends the stream of an attempt. */
export const eventFacts = (requestId: string, last: Outcome | undefined): ErrorFacts => ({
  requestId,
  eventCount: last?.kind === 'answered' ? last.reply.tap?.eventCount : undefined,
});

interface LastPiece {
  readonly fault: GatewayError | undefined;
  readonly bytes: Buffer;
}

const isReadable = (value: JsonObject, dialect: Dialect): boolean => dialect.isErrorEvent?.(value) ?? dialect.isError(value);

function isForeign(text: string, dialect: Dialect): boolean {
  const data = text
    .split(/\r\n|\r|\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length));
  try {
    const value: unknown = parseJson(data.join('\n'));
    return Array.isArray(value) || (isJsonObject(value) && isJsonObject(value['error']) && !isReadable(value, dialect));
  } catch {
    return false;
  }
}

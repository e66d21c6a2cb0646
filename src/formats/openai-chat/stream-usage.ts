import type { JsonBody } from '../../core/json/body.ts';
import type { WireEvent } from '../../core/events.ts';
import { isJsonObject } from '../../core/json/merge.ts';
import type { Call } from '../../core/provider.ts';
import { objectIn } from './fault.ts';
import { ChatTap } from './tap.ts';
import { objectOf } from '../shared/json.ts';

/** True for a stream whose usage the gateway requests for itself, because the client has not. */
export const requestsUsage = ({ settings, stream, includeUsage }: Pick<Call, 'settings' | 'stream' | 'includeUsage'>): boolean =>
  settings.stream_usage === 'always' && stream && !includeUsage;

/** Requests the usage of a stream: a last chunk without choices. */
export function withUsage(body: JsonBody): JsonBody {
  const options = body.has('stream_options') ? body.value('stream_options') : undefined;
  return body.edit(new Map([['stream_options', { ...objectOf(options), include_usage: true }]]));
}

/** A chunk without choices, in any spelling. */
const noChoices = /"choices"\s*:\s*\[\s*\]/;

/** Reads the chunk with the usage that the gateway requested for itself. The client does not get it. */
export class RequestedUsageTap extends ChatTap {
  readonly withholds = (event: WireEvent): boolean => {
    if (!noChoices.test(event.data) || !isJsonObject(objectIn(event.data)?.['usage'])) return false;
    this.event(event);
    return true;
  };
}

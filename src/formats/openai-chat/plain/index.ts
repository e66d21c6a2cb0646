import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { Dropped } from '../../../core/provider.ts';
import { isNonFunctionTool, missingToolReason } from '../../shared/request/tools.ts';
import { objectsIn } from '../../shared/json.ts';
import { Drops } from '../../shared/request/drops.ts';
import { inlinedFiles } from './files.ts';
import { plainMessages } from './messages.ts';
import { adaptFields } from './params.ts';
import type { PlainService } from './service.ts';
import { plainTools } from './tools.ts';

/**
 * Converts a request that was made from another format for a service of the chat format: the gateway's extensions are replaced by
 * the nearest equivalent, or dropped and reported.
 *
 * @throws GatewayError `unsupported_parameter` for files that the service has no format for
 */
export function plainChat(body: JsonObject, service: PlainService): { readonly body: JsonObject; readonly dropped: readonly Dropped[] } {
  const drops = new Drops();
  const { messages, tools, ...rest } = inlinedFiles(body, service.media);
  const made = plainTools(objectsIn(tools), service, drops);
  const params = adaptFields(rest, service, drops, made.tools !== undefined);
  const chosen = isJsonObject(params['tool_choice']) ? params['tool_choice']['function'] : undefined;
  const isLost = isJsonObject(chosen) && isNonFunctionTool(tools, chosen['name']);
  if (isLost || (made.tools === undefined && params['tool_choice'] === 'required')) drops.add('tool_choice', missingToolReason);
  if (isLost) delete params['tool_choice'];
  // Services reject both if there are no tools.
  if (made.tools === undefined) for (const name of ['tool_choice', 'parallel_tool_calls']) delete params[name];
  return {
    body: { ...params, ...made, messages: plainMessages(objectsIn(messages), drops, service.known.includes('cache_control')) },
    dropped: drops.list,
  };
}

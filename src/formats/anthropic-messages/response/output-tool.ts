import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { UpstreamRequest } from '../../../core/provider.ts';
import { objectsIn } from '../../shared/json.ts';

/** Name of the tool into which a model without structured output writes a response with a schema. No client tool has this name. */
export const outputTool = 'gateway_json_answer';

/** True if the body of a request, for the messages API or for Converse, offers the tool. It is the last one. */
export function offersOutput(body: UpstreamRequest['body']): boolean {
  if (body.kind !== 'json') return false;
  const { tools, toolConfig } = body.json();
  const last = objectsIn(isJsonObject(toolConfig) ? toolConfig['tools'] : tools).at(-1);
  return (isJsonObject(last?.['toolSpec']) ? last['toolSpec'] : last)?.['name'] === outputTool;
}

export const isOutput = (block: JsonObject): boolean => block['type'] === 'tool_use' && block['name'] === outputTool;

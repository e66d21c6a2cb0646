import type { JsonObject } from '../../../core/json/merge.ts';

/** Name of the tool into which a model without structured output writes a response with a schema. No client tool has this name. */
export const outputTool = 'gateway_json_answer';

export const isOutput = (block: JsonObject): boolean => block['type'] === 'tool_use' && block['name'] === outputTool;

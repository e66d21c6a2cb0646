import type { Plain } from '../../../core/json/merge.ts';

/** The tool into which a model without structured output writes an answer that has a schema. No tool of a client has this name. */
export const outputTool = 'gateway_json_answer';

export const isOutput = (block: Plain): boolean => block['type'] === 'tool_use' && block['name'] === outputTool;

import { isPlain, type Plain } from '../../../core/json/merge.ts';

/** The tool into which a model without structured output writes an answer that has a schema. No tool of a client has this name. */
export const outputTool = 'gateway_json_answer';

export const isOutput = (block: Plain): boolean => block['type'] === 'tool_use' && block['name'] === outputTool;

/** The blocks of an answer with the input of the output tool as its text. */
export function withOutputText(blocks: readonly Plain[]): readonly Plain[] {
  if (!blocks.some(isOutput)) return blocks;
  return blocks
    .filter((block) => block['type'] !== 'text')
    .map((block) => (isOutput(block) ? { type: 'text', text: JSON.stringify(isPlain(block['input']) ? block['input'] : {}) } : block));
}

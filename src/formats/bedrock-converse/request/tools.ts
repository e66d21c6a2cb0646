import type { Block } from '../../anthropic-messages/request/conversion.ts';
import type { ToolFields } from '../../anthropic-messages/request/tools/index.ts';
import type { Turn } from '../../anthropic-messages/request/turns.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { missingToolReason } from '../../shared/request/tools.ts';
import { type BlockContext, withCachePoint } from './blocks.ts';
import type { Family } from './model.ts';
import { stringOf } from '../../shared/json.ts';

/** The tools of a request, split into `toolConfig` and the model's own fields. */
export interface ConverseTools {
  readonly toolConfig?: JsonObject;
  /** For `additionalModelRequestFields`. */
  readonly own: JsonObject;
}

/** Tools of Anthropic's API that the client runs. The ones that Anthropic runs are not available on Bedrock. */
const clientTools = /^(?:computer|bash|text_editor|memory)_\d{8}$/;

/** Members of a client tool that Converse supports. */
const members: ReadonlySet<string> = new Set(['name', 'description', 'input_schema', 'cache_control', 'strict']);

/** What the conversion of tools depends on, besides the tools themselves. */
export interface ToolChoices {
  readonly turns: readonly Turn[];
  readonly family: Family;
  /** The client disabled parallel calls. */
  readonly oneCall: boolean;
  /** The client disabled all tools. */
  readonly asksNone: boolean;
}

/** Converts the tools of a messages request. */
export function converseTools({ tools = [], tool_choice: choice }: ToolFields, choices: ToolChoices, to: BlockContext): ConverseTools {
  const { turns, family } = choices;
  const specs: JsonObject[] = [];
  const native: JsonObject[] = [];
  for (const tool of tools) {
    if (isJsonObject(tool['input_schema'])) specs.push(...toolSpec(tool, family, to));
    else nativeTool(tool, { specs, native }, family, to);
  }
  const choiceType = choice?.['type'];
  // The service requires the definitions of tools used in the history, and has no tool choice `none`.
  const isNone = choiceType === 'none';
  const usesTools = turns.some(({ content }) => typeof content !== 'string' && content.some((block) => block['type'] === 'tool_use'));
  if (isNone && !usesTools) return { own: {} };
  if (isNone && choices.asksNone) to.drops.add('tool_choice', 'the service does not support tool_choice "none"');
  const oneCall = choices.oneCall && !isNone && tools.length > 0 ? parallelField(choiceType, family, to) : undefined;
  const isLost = isForced(choice) && (specs.length === 0 || (tools.some(isNamed(choice)) && !specs.some((spec) => isChosen(spec, choice))));
  if (isLost) to.drops.add('tool_choice', missingToolReason);
  const anyTool = choiceType === 'tool' && family.choosesTool === false;
  if (anyTool && !isLost && specs.length > 1) to.drops.add('tool_choice', 'this model can be forced to call a tool, but not which one');
  const toolChoice = oneCall === undefined && !isLost ? choiceOf(anyTool ? { type: 'any' } : choice) : undefined;
  return {
    ...(specs.length === 0 ? {} : { toolConfig: { tools: specs, ...(toolChoice === undefined ? {} : { toolChoice }) } }),
    own: { ...(native.length === 0 ? {} : { tools: native }), ...(oneCall === undefined ? {} : { tool_choice: oneCall }) },
  };
}

const isForced = (choice: Block | undefined): choice is Block => choice?.['type'] === 'any' || choice?.['type'] === 'tool';

const isNamed =
  ({ name }: Block) =>
  (tool: JsonObject): boolean =>
    tool['name'] === name;

/** True if the tool satisfies the choice: any tool, or the tool with this name. */
const isChosen = (spec: JsonObject, choice: Block): boolean =>
  choice['type'] === 'any' || Object.values(spec).some((one) => isJsonObject(one) && isNamed(choice)(one));

function toolSpec(tool: Block, { traits }: Family, to: BlockContext): JsonObject[] {
  const { name, description, input_schema: schema, strict } = tool;
  to.drops.addUnread(tool, members, 'tools[].');
  if (strict === true && !traits.structured) to.drops.add('tools[].function.strict', 'this model has no strict tools');
  const spec = {
    name,
    ...(typeof description === 'string' && description !== '' ? { description } : {}),
    inputSchema: { json: schema },
    ...(strict === true && traits.structured ? { strict } : {}),
  };
  return withCachePoint({ toolSpec: spec }, tool, to);
}

function nativeTool(
  tool: Block,
  found: { specs: JsonObject[]; native: JsonObject[] },
  { isClaude }: Family,
  { drops }: BlockContext,
): void {
  const type = stringOf(tool['type']);
  if (isClaude && clientTools.test(type)) found.native.push(tool);
  else if (type === 'system_tool' && typeof tool['name'] === 'string') found.specs.push({ systemTool: { name: tool['name'] } });
  else drops.add(`tools[].${type || 'type'}`, 'not served by Bedrock');
}

/** Disables parallel calls with a field of the model, which excludes a tool choice of the service. */
function parallelField(choiceType: unknown, { isClaude }: Family, { drops }: BlockContext): JsonObject | undefined {
  if (isClaude && choiceType === 'auto') return { type: 'auto', disable_parallel_tool_use: true };
  drops.add('parallel_tool_calls', isClaude ? 'not possible with a forced tool on Bedrock' : 'not supported by this model');
  return undefined;
}

function choiceOf(choice: Block | undefined): JsonObject | undefined {
  switch (choice?.['type']) {
    case 'auto':
      return { auto: {} };
    case 'any':
      return { any: {} };
    case 'tool':
      return { tool: { name: choice['name'] } };
    default:
      return undefined;
  }
}

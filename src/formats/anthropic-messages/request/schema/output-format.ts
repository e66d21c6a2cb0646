import { isPlain, type Plain } from '../../../../core/json/merge.ts';
import { outputTool } from '../../answer/output-tool.ts';
import type { Block, Conversion } from '../conversion.ts';
import { strictSchema } from './strict-schema.ts';
import type { ToolFields } from '../tools/index.ts';

/** How a schema for the answer is asked for. */
export interface OutputFormat {
  /** For `output_config.format`. */
  readonly format?: Plain;
  /** Tools of the request, with the one that the answer is written into. */
  readonly tools?: ToolFields;
}

/**
 * `response_format: json_schema`: structured output where the model has it, else a tool with the schema that the model must
 * use and whose input is the answer. On Vertex AI structured output is switched off unless the organization allows it, so
 * there it is the tool, except where no tool can be forced.
 */
export function outputFormat(body: Plain, tools: ToolFields, conversion: Conversion): OutputFormat {
  const { form, traits, drops } = conversion;
  const wanted = wantedSchema(body);
  if (wanted === undefined) {
    if (isUnknown(body['response_format'])) drops.add('response_format', 'not a format of this service');
    return {};
  }
  const canForce = !traits.refusesForcedTool && !(traits.structured && asksToThink(body));
  if (traits.structured && (form !== 'vertex' || !canForce))
    return { format: { type: 'json_schema', schema: strictSchema(wanted.schema, drops) } };
  const why = forced(tools)
    ? 'the tool that the request forces is called instead'
    : wanted.schema['type'] !== 'object'
      ? 'this model writes objects only'
      : undefined;
  if (why === undefined) return { tools: withOutput(wanted, tools, body, conversion) };
  drops.add('response_format', why);
  return {};
}

const formats: ReadonlySet<unknown> = new Set(['text', 'json_object', 'json_schema']);
const isUnknown = (format: unknown): boolean => isPlain(format) && !formats.has(format['type']);

interface Wanted {
  readonly schema: Plain;
  readonly description: string | undefined;
}

/** What the caller wrote in the API's own terms wins. */
function wantedSchema(body: Plain): Wanted | undefined {
  const { response_format: format, output_config: own } = body;
  if (!isPlain(format) || format['type'] !== 'json_schema' || (isPlain(own) && own['format'] !== undefined)) return undefined;
  const inner = isPlain(format['json_schema']) ? format['json_schema'] : format;
  const { schema, description } = inner;
  if (!isPlain(schema)) return undefined;
  const text = typeof description === 'string' && description !== '' ? description : undefined;
  return {
    schema: text === undefined || schema['description'] !== undefined ? schema : { ...schema, description: text },
    description: text,
  };
}

/** With thinking on the API takes no forced tool. */
function asksToThink({ thinking, reasoning_effort: effort }: Plain): boolean {
  if (isPlain(thinking)) return thinking['type'] !== 'disabled' && thinking['budget_tokens'] !== 0;
  return typeof effort === 'string' && effort !== 'none';
}

const forced = ({ tool_choice: choice }: ToolFields): boolean => choice?.['type'] === 'any' || choice?.['type'] === 'tool';

/** The model answers by the tool, or calls one of the caller's: one of them, so that neither is next to the other. */
function withOutput(
  { schema, description }: Wanted,
  { tools = [], tool_choice: choice }: ToolFields,
  body: Plain,
  { drops }: Conversion,
): ToolFields {
  const tool: Block = { name: outputTool, description: description ?? 'Writes the response.', input_schema: schema };
  const isFree = tools.length > 0 && choice?.['type'] !== 'none';
  if (isFree && body['parallel_tool_calls'] === true)
    drops.add('parallel_tool_calls', 'with a schema for the response, one tool is called');
  return {
    tools: [...tools, tool],
    tool_choice: isFree ? { type: 'any', disable_parallel_tool_use: true } : { type: 'tool', name: outputTool },
  };
}

import { isJsonObject, type JsonObject } from '../../../../core/json/merge.ts';
import { schemaInstruction } from '../../../shared/request/json-instruction.ts';
import { outputTool } from '../../response/output-tool.ts';
import type { Block, MessagesConversion } from '../conversion.ts';
import { strictSchema } from './strict-schema.ts';
import type { ToolFields } from '../tools/index.ts';

/** How a schema for the response is sent. */
export interface OutputFormat {
  /** For `output_config.format`. */
  readonly format?: JsonObject;
  /** Tools of the request, including the output tool. */
  readonly tools?: ToolFields;
  /** A text for the system prompt, if the schema cannot be enforced. */
  readonly instruction?: string;
}

/**
 * Converts `response_format: json_schema`: to structured output if the model supports it, otherwise to a tool with the schema
 * that the model must call and whose input is the response, or to an instruction if no tool can be forced. On Vertex AI
 * structured output is disabled unless the organization allows it, so the tool is used there, except if no tool can be forced.
 */
export function outputFormat(body: JsonObject, tools: ToolFields, conversion: MessagesConversion): OutputFormat {
  const { surface, traits, drops } = conversion;
  const requested = requestedSchema(body);
  if (requested === undefined) {
    if (isUnknown(body['response_format'])) drops.add('response_format', 'not a format of this service, or output_config is sent instead');
    return {};
  }
  const canForce = !traits.rejectsForcedTool && !(traits.structured && requestsThinking(body));
  if (traits.structured && (surface !== 'vertex' || !canForce))
    return { format: { type: 'json_schema', schema: strictSchema(requested.schema, drops) } };
  const why = forcesTool(tools)
    ? 'the tool that the request forces is called instead'
    : requested.schema['type'] !== 'object'
      ? 'this model writes objects only'
      : undefined;
  if (why === undefined && traits.rejectsForcedTool) {
    drops.add('response_format.json_schema', 'sent as an instruction');
    return { instruction: schemaInstruction(requested) };
  }
  if (why === undefined) return { tools: withOutput(requested, tools, body, conversion) };
  drops.add('response_format', why);
  return {};
}

const formats: ReadonlySet<unknown> = new Set(['text', 'json_object']);

const isUnknown = (format: unknown): boolean => isJsonObject(format) && !formats.has(format['type']);

interface RequestedSchema {
  readonly schema: JsonObject;
  readonly description: string | undefined;
}

/** A format that the client wrote in the API's own form takes precedence. */
function requestedSchema(body: JsonObject): RequestedSchema | undefined {
  const { response_format: format, output_config: own } = body;
  if (!isJsonObject(format) || format['type'] !== 'json_schema' || (isJsonObject(own) && own['format'] !== undefined)) return undefined;
  const inner = isJsonObject(format['json_schema']) ? format['json_schema'] : format;
  const { schema, description } = inner;
  if (!isJsonObject(schema)) return undefined;
  const text = typeof description === 'string' && description !== '' ? description : undefined;
  return {
    schema: text === undefined || schema['description'] !== undefined ? schema : { ...schema, description: text },
    description: text,
  };
}

/** True if thinking is requested. The API accepts no forced tool then. */
function requestsThinking({ thinking, reasoning_effort: effort }: JsonObject): boolean {
  if (isJsonObject(thinking)) return thinking['type'] !== 'disabled' && thinking['budget_tokens'] !== 0;
  return typeof effort === 'string' && effort !== 'none';
}

const forcesTool = ({ tool_choice: choice }: ToolFields): boolean => choice?.['type'] === 'any' || choice?.['type'] === 'tool';

/** Adds the output tool. The model calls it or one of the client's tools, but never both in one response. */
function withOutput(
  { schema, description }: RequestedSchema,
  { tools = [], tool_choice: choice }: ToolFields,
  body: JsonObject,
  { drops }: MessagesConversion,
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

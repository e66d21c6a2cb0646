import { fromUnknown, GatewayError } from '#core/error.ts';
import { isJsonObject, type JsonObject } from '#core/json/merge.ts';
import { bareModel } from '#core/model/model-name.ts';
import type { Dropped } from '#core/provider.ts';
import { withoutFullStop } from '#core/text/wording.ts';
import { mediaNeeds, toMessages } from '#formats/anthropic-messages/request/index.ts';
import { headerFields, parseFeatures } from '#formats/anthropic-messages/headers.ts';
import { anthropicNames, checkToolNames } from '#formats/tool-names/rule.ts';
import { unsupportedParameter } from '#formats/shared/request/parameter-errors.ts';
import { Drops } from '#formats/shared/request/drops.ts';
import { textOf } from '#formats/shared/json.ts';
import type { BatchEndpoint } from './ids.ts';

/** One input line of a batch, with its position for error messages. */
export interface InputLine {
  /** Starts at 1. */
  readonly number: number;
  /** Path of the field that contains the line. */
  readonly param: string;
  readonly value: unknown;
}

/** Lines in the service's form. */
export interface BatchRequests {
  readonly requests: readonly JsonObject[];
  readonly dropped: readonly Dropped[];
  /** Beta features that the lines use. The service accepts them only for the whole batch. */
  readonly betas: readonly string[];
}

export interface LineOptions {
  readonly endpoint: BatchEndpoint;
  /** For lines without a model. */
  readonly model: string;
  /** For chat lines without a limit. */
  readonly maxTokens: number | undefined;
}

/** The service's rule for `custom_id`. */
const customId = /^[a-zA-Z0-9_-]{1,64}$/;

/** Maximum number of lines in an error message. */
const maxShownProblems = 5;

/**
 * Converts lines of the OpenAI batch format to requests of a message batch. Bodies of chat completions are converted, bodies of
 * the messages API stay unchanged. All errors are collected, since a batch is sent completely or not at all.
 *
 * @throws GatewayError with the code of the first invalid line; its message lists the lines
 */
export function toRequests(lines: readonly InputLine[], options: LineOptions): BatchRequests {
  const requests: JsonObject[] = [];
  const problems: { readonly line: InputLine; readonly error: GatewayError }[] = [];
  const drops = new Drops();
  const betas = new Set<string>();
  const lineNumbers = new Map<string, number>();
  for (const line of lines) {
    try {
      const { id, body } = validateLine(line, options, lineNumbers);
      for (const field of headerFields) if (field !== 'anthropic_version') for (const beta of parseFeatures(body[field])) betas.add(beta);
      requests.push({ custom_id: id, params: paramsOf(body, options, drops, betas) });
    } catch (thrown) {
      const error = fromUnknown(thrown);
      if (error.code === 'internal') throw thrown;
      problems.push({ line, error });
    }
  }
  const [first] = problems;
  if (first !== undefined) throw batchError(first, problems);
  if (requests.length === 0) throw new GatewayError('invalid_value', { message: 'The batch has no requests.', param: 'requests' });
  return { requests, dropped: drops.list, betas: [...betas] };
}

/** Returns id and body of a line, after validating its other fields. */
function validateLine(
  { value, number }: InputLine,
  options: LineOptions,
  lineNumbers: Map<string, number>,
): { readonly id: string; readonly body: JsonObject } {
  if (!isJsonObject(value)) throw invalidLine('invalid_type', '', 'it is not a JSON object');
  const { custom_id: id, method, url, body } = value;
  if (typeof id !== 'string') throw invalidLine('missing_required_parameter', 'custom_id', 'custom_id is missing');
  if (!customId.test(id)) {
    throw invalidLine('invalid_value', 'custom_id', 'custom_id must be 1 to 64 letters, digits, "_" and "-"');
  }
  const earlierLine = lineNumbers.get(id);
  if (earlierLine !== undefined) throw invalidLine('invalid_value', 'custom_id', `line ${earlierLine} has the same custom_id`);
  lineNumbers.set(id, number);
  if (method !== undefined && method !== 'POST') throw invalidLine('invalid_value', 'method', 'method must be POST');
  if (url !== undefined && url !== options.endpoint) {
    throw invalidLine('invalid_value', 'url', `url must be that of the batch, ${options.endpoint}`);
  }
  if (!isJsonObject(body)) throw invalidLine('invalid_type', 'body', 'body must be a JSON object');
  return { id, body };
}

/** @throws GatewayError if the body cannot be converted */
function paramsOf(
  body: JsonObject,
  { endpoint, model: defaultModel, maxTokens }: LineOptions,
  drops: Drops,
  betas: Set<string>,
): JsonObject {
  const model = bareModel(textOf(body['model']) ?? '') || defaultModel;
  if (model === '') throw invalidLine('missing_required_parameter', 'body.model', 'the body names no model');
  if (body['stream'] === true) drops.add('stream', 'a batch cannot stream');
  if (endpoint === '/v1/messages') return nativeParams(body, model, drops);
  checkToolNames(body, anthropicNames);
  const [file] = mediaNeeds(body, 'direct');
  if (file !== undefined)
    throw unsupportedParameter('body.messages', 'it names a file that would have to be downloaded first', 'Send the file by value.');
  const converted = toMessages(body, { model, stream: false, foundationModel: undefined }, { media: noMedia, ...limitOption(maxTokens) });
  for (const { param, reason } of converted.dropped) drops.add(param, reason);
  for (const beta of converted.betas) betas.add(beta);
  return converted.body;
}

const noMedia = new Map<string, never>();
const limitOption = (maxTokens: number | undefined) => (maxTokens === undefined ? {} : { maxTokens });

/** The API rejects fields that represent headers, and streaming in a batch. */
function nativeParams(body: JsonObject, model: string, drops: Drops): JsonObject {
  const out: Record<string, unknown> = { ...body, model };
  for (const field of [...headerFields, 'stream', 'labels']) delete out[field];
  if (body['labels'] !== undefined) drops.add('labels', 'kept only in the log record');
  return out;
}

const invalidLine = (code: 'invalid_type' | 'invalid_value' | 'missing_required_parameter', param: string, message: string): GatewayError =>
  new GatewayError(code, { message, param });

type Problem = { readonly line: InputLine; readonly error: GatewayError };

function batchError(first: Problem, problems: readonly Problem[]): GatewayError {
  const texts = problems.slice(0, maxShownProblems).map(({ line, error }) => `line ${line.number}: ${withoutFullStop(error.message)}`);
  const more = problems.length - texts.length;
  const { error, line } = first;
  return new GatewayError(error.code, {
    message: `The batch cannot be sent: ${texts.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`,
    status: error.status,
    param: [line.param, error.param].filter((part) => part !== undefined && part !== '').join('.'),
    hint: error.hint,
  });
}

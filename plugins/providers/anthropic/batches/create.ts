import { type EmptyBody, JsonBody } from '#core/json/body.ts';
import { GatewayError } from '#core/error.ts';
import { isJsonObject, type JsonObject } from '#core/json/merge.ts';
import { bareModel } from '#core/model/model-name.ts';
import type { Dropped, Operation, StepReply, Translation, UpstreamRequest } from '#core/provider.ts';
import { encodeSegment } from '../../_shared/address.ts';
import { parseExact } from '#core/json/scan.ts';
import { parseObject, textOf } from '#formats/shared/json.ts';
import { ObjectTap } from '#formats/openai-objects/object-tap.ts';
import { checkMetadata } from '#formats/openai-objects/objects.ts';
import { filesBeta } from '#formats/anthropic-messages/files-beta.ts';
import { type AnthropicCall, send } from '../send.ts';
import type { AnthropicSettings } from '../settings.ts';
import { batchEndpoints, type BatchEndpoint } from './ids.ts';
import { type InputLine, toRequests } from './lines.ts';
import { type BatchRequest, toBatch } from './object.ts';

/** A parsed create request. */
interface CreateRequest extends BatchRequest {
  /** For lines without a model. */
  readonly model: string;
  readonly dropped: readonly Dropped[];
  /** Undefined if the lines are in the input file. */
  readonly lines: readonly InputLine[] | undefined;
}

/** Supported fields of a create request; others are reported as dropped. */
const supportedFields: ReadonlySet<string> = new Set(['input_file_id', 'requests', 'endpoint', 'completion_window', 'metadata', 'model']);

/**
 * `POST /v1/batches`. The service needs the requests themselves: they are in `requests`, or the gateway first downloads the input
 * file. The service returns only files that its own tools created, so other clients must use `requests`.
 *
 * @throws GatewayError of `toRequests`, `checkMetadata`; `invalid_value`, `missing_required_parameter`
 */
export const createBatch: Operation<AnthropicSettings> = {
  isConverted: true,
  begin(body, call) {
    const parsed = parseCreateRequest(body, call);
    const result = (text: string) => toBatch(parseObject(text), parsed);
    const createFrom = (lines: readonly InputLine[]): Translation => ({
      request: createRequest(parsed, lines, call),
      tap: new ObjectTap(),
      result,
    });
    if (parsed.lines !== undefined) return createFrom(parsed.lines);
    return {
      request: downloadRequest(parsed, call),
      tap: new TextTap(),
      result,
      then: (file) => createFrom(linesOf(file, parsed.endpoint)),
    };
  },
};

function parseCreateRequest(body: JsonBody | EmptyBody, call: AnthropicCall): CreateRequest {
  const fields: JsonObject = body.kind === 'json' ? body.json() : {};
  const endpoint = endpointOf(fields['endpoint']);
  const window = fields['completion_window'];
  if (window !== undefined && window !== null && window !== '24h') {
    throw new GatewayError('invalid_value', {
      message: `Invalid 'completion_window': the service supports only "24h".`,
      param: 'completion_window',
    });
  }
  checkMetadata(fields['metadata']);
  const dropped: Dropped[] = Object.entries(fields)
    .filter(([key, value]) => value !== null && !supportedFields.has(key))
    .map(([param]) => ({ param, reason: 'not supported by this service' }));
  if (Object.keys(fields['metadata'] ?? {}).length > 0)
    dropped.push({ param: 'metadata', reason: 'the service stores no metadata of a batch' });
  const shared = { endpoint, model: bareModel(textOf(fields['model']) ?? call.model), dropped };
  const requests = body.kind === 'json' && isPassedUnchanged(endpoint) ? body.exact('requests') : fields['requests'];
  const inputFileId = textOf(fields['input_file_id']);
  if (requests !== undefined && requests !== null) {
    if (inputFileId !== undefined) throw twoInputs();
    return { ...shared, inputFileId: null, lines: inlineLines(requests) };
  }
  if (inputFileId !== undefined) return { ...shared, inputFileId, lines: undefined };
  throw new GatewayError('missing_required_parameter', {
    message: 'The batch has neither requests nor an input_file_id.',
    param: 'input_file_id',
    hint: requestsHint,
  });
}

const twoInputs = (): GatewayError =>
  new GatewayError('invalid_value', {
    message: 'The batch has both requests and an input_file_id.',
    param: 'input_file_id',
    hint: 'Send the lines of the batch in one of them.',
  });

/** True for the messages API, whose bodies are not converted: numbers in the inputs of tools keep their digits. */
const isPassedUnchanged = (endpoint: BatchEndpoint): boolean => endpoint === '/v1/messages';

/** Hint for clients whose input file cannot be read. */
export const requestsHint = 'Send the lines of the batch in the body, as the list "requests", instead of input_file_id.';

function endpointOf(value: unknown): BatchEndpoint {
  const found = batchEndpoints.find((endpoint) => endpoint === value);
  if (found !== undefined) return found;
  const expected = `Expected ${batchEndpoints.map((endpoint) => `"${endpoint}"`).join(' or ')}`;
  throw value === undefined
    ? new GatewayError('missing_required_parameter', { message: `Missing required parameter: 'endpoint'. ${expected}.`, param: 'endpoint' })
    : new GatewayError('invalid_value', {
        message: `Invalid 'endpoint': the service has no batches of it. ${expected}.`,
        param: 'endpoint',
      });
}

function inlineLines(requests: unknown): readonly InputLine[] {
  if (!Array.isArray(requests)) {
    throw new GatewayError('invalid_type', {
      message: "Invalid type for 'requests': expected an array of batch lines.",
      param: 'requests',
    });
  }
  return requests.map((value: unknown, index) => ({ number: index + 1, param: `requests[${index}]`, value }));
}

const downloadRequest = ({ inputFileId, dropped }: CreateRequest, call: AnthropicCall): UpstreamRequest =>
  send(call, {
    route: `files/${encodeSegment(inputFileId ?? '')}/content`,
    method: 'GET',
    query: '',
    accept: '*/*',
    betas: [filesBeta],
    dropped,
  });

/** Parses the lines of the input file. @throws GatewayError `invalid_json` for a line that is not a JSON object */
function linesOf({ text }: StepReply, endpoint: BatchEndpoint): readonly InputLine[] {
  const lines: InputLine[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue;
    const value = isPassedUnchanged(endpoint) ? parseObject(line, parseExact) : parseObject(line);
    if (value === undefined) {
      throw new GatewayError('invalid_json', {
        message: `Line ${index + 1} of the input file is not a JSON object.`,
        param: 'input_file_id',
      });
    }
    lines.push({ number: index + 1, param: 'input_file_id', value });
  }
  return lines;
}

function createRequest(parsed: CreateRequest, lines: readonly InputLine[], call: AnthropicCall): UpstreamRequest {
  const { requests, dropped, betas } = toRequests(lines, {
    endpoint: parsed.endpoint,
    model: parsed.model,
    maxTokens: call.settings.max_tokens,
  });
  const fromFile = parsed.lines === undefined;
  const request = send(call, {
    route: 'messages/batches',
    method: 'POST',
    query: '',
    body: JsonBody.of({ requests }),
    // The first request has already reported its dropped fields.
    dropped: fromFile ? dropped : [...parsed.dropped, ...dropped],
    betas,
  });
  return { ...request, models: [...new Set(requests.map(modelOf))] };
}

const modelOf = ({ params }: JsonObject): string => (isJsonObject(params) ? (textOf(params['model']) ?? '') : '');

/** A file of lines that is buffered completely, because the next request is created from it. This tap does not parse it. */
class TextTap extends ObjectTap {
  readonly form = 'text';

  override whole(_text: string): undefined {
    this.complete = true;
    return undefined;
  }
}

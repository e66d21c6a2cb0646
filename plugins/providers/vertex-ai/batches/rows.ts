import { JsonBody } from '#core/json/body.ts';
import { GatewayError } from '#core/error.ts';
import { isJsonObject, type JsonObject } from '#core/json/merge.ts';
import { parseExact } from '#core/json/scan.ts';
import { bareModel } from '#core/model/model-name.ts';
import type { Dropped, Media } from '#core/provider.ts';
import { parseFeatures } from '#formats/anthropic-messages/headers.ts';
import { mediaNeeds, toMessages } from '#formats/anthropic-messages/request/index.ts';
import type { FileRules } from '#formats/google-generate/request/conversion.ts';
import { toVertexEmbedding } from '#formats/google-generate/embeddings.ts';
import { toGenerateContent } from '#formats/google-generate/request/index.ts';
import { dropExtensions } from '#formats/openai-chat/extensions.ts';
import { functionsAsTools } from '#formats/openai-chat/legacy-calls.ts';
import { withQuirks } from '#formats/openai-chat/quirks/index.ts';
import { objectOf, objectsIn, textOf } from '#formats/shared/json.ts';
import { anthropicNames, checkToolNames, vertexNames } from '#formats/tool-names/rule.ts';
import { bodyVersion } from '../anthropic.ts';
import { optionsOf } from '../gemini.ts';
import { modelFor, type VertexModel } from '../model.ts';
import { openQuirk, toolHistory } from '../open-chat.ts';
import { checkMessages } from '../open-files.ts';
import type { VertexSettings } from '../settings.ts';
import { type BatchEndpoint, endpointOf } from './kind.ts';

/** One request of a batch in the service's form. */
export interface Row {
  readonly row: JsonObject;
  /** The gateway's name of the model. */
  readonly model: string;
  readonly endpoint: BatchEndpoint;
  readonly dropped: readonly Dropped[];
}

interface BatchLine {
  readonly customId: string;
  readonly body: JsonObject;
  readonly model: string;
  readonly vertexModel: VertexModel;
  readonly settings: VertexSettings;
  readonly files: FileRules | undefined;
}

const noMedia: ReadonlyMap<string, Media> = new Map();

/** True for a line of OpenAI's batch format; false for a row in the service's own form. */
export const isBatchLine = (line: JsonObject): boolean => isJsonObject(line['body']);

/**
 * Converts a line of OpenAI's batch format to a row of the service. The model determines the kind of row.
 *
 * @param exact returns the same line with numbers that keep their digits, for bodies that stay in the client's format
 * @throws GatewayError for values that cannot be converted
 */
export function toRow(line: JsonObject, settings: VertexSettings, files?: FileRules, exact: () => JsonObject = () => line): Row {
  const body = objectOf(line['body']);
  const customId = textOf(line['custom_id']);
  if (customId === undefined) throw missing('custom_id', 'it has no custom_id');
  const requested = textOf(body['model']);
  if (requested === undefined) throw missing('body.model', 'it names no model');
  const model = bareModel(requested);
  const endpoint = endpointOf(textOf(line['url']) ?? (body['input'] === undefined ? '/v1/chat/completions' : '/v1/embeddings'));
  if (endpoint === undefined) throw unserved(String(line['url']).slice(0, 100));
  const vertexModel = batchModel(model);
  const keepsFormat = endpoint === '/v1/messages' || vertexModel.kind === 'open';
  const { stream, stream_options: _options, ...requestBody } = keepsFormat ? objectOf(exact()['body']) : body;
  const { row, dropped } = convertLine(endpoint, { customId, body: requestBody, model, vertexModel, settings, files });
  return { row, dropped: stream === true ? [noStream, ...dropped] : dropped, model, endpoint };
}

const noStream: Dropped = { param: 'stream', reason: 'a batch cannot stream' };

/** Classifies a model of a batch. Clients of the messages API omit the publisher. @throws GatewayError `model_not_found` */
export function batchModel(model: string): VertexModel {
  const found = modelFor(model, false);
  return found.kind === 'gemini' && found.name.startsWith('claude') ? { kind: 'anthropic', name: found.name } : found;
}

type ConvertedRow = Pick<Row, 'row' | 'dropped'>;

function convertLine(endpoint: BatchEndpoint, line: BatchLine): ConvertedRow {
  const { kind } = line.vertexModel;
  if (endpoint === '/v1/embeddings') return kind === 'gemini' ? embeddingRow(line) : wrongModel(line, endpoint);
  if (kind === 'anthropic') return endpoint === '/v1/messages' ? messagesRow(line) : anthropicRow(line);
  if (endpoint === '/v1/messages') return wrongModel(line, endpoint);
  if (kind === 'gemini') return geminiRow(line);
  return kind === 'open' ? openRow(line) : wrongModel(line, endpoint);
}

function geminiRow({ customId, body, model, settings, files }: BatchLine): ConvertedRow {
  checkToolNames(body, vertexNames);
  const call = { model: model.replace(/^google\./i, ''), media: noMedia, strict: false };
  const { body: request, dropped } = toGenerateContent(body, call, optionsOf(settings, files));
  return { row: { request, requestId: customId }, dropped };
}

function anthropicRow({ customId, body, vertexModel, settings }: BatchLine): ConvertedRow {
  const name = vertexModel.kind === 'anthropic' ? vertexModel.name : '';
  checkToolNames(body, anthropicNames);
  if (mediaNeeds(body, 'vertex').length > 0) {
    throw new GatewayError('unsupported_parameter', {
      message: 'the gateway does not download files for batches',
      param: 'body.messages',
      hint: 'Write the file itself as a data URI.',
    });
  }
  const call = { model: name, stream: false, foundationModel: undefined };
  const { body: request, dropped } = toMessages(body, call, { media: noMedia, vertex: { version: bodyVersion(settings) } });
  return { row: { custom_id: customId, request }, dropped };
}

/** The body of the messages API stays unchanged, except for the model, the labels, the version and the gateway's name of beta features. */
function messagesRow({ customId, body, settings }: BatchLine): ConvertedRow {
  const { model: _model, labels, vendor_beta: more, ...request } = body;
  const dropped = labels === undefined ? [] : [{ param: 'labels', reason: 'not supported by this service' }];
  // A row has no headers, which contain the beta features of other requests.
  const betas = more === undefined ? {} : { anthropic_beta: [...new Set([request['anthropic_beta'], more].flatMap(parseFeatures))] };
  return { row: { custom_id: customId, request: { anthropic_version: bodyVersion(settings), ...request, ...betas } }, dropped };
}

/** A row of the older models is one instance; newer models use a request with a key. */
function embeddingRow({ customId, body, vertexModel, files }: BatchLine): ConvertedRow {
  const converted = toVertexEmbedding(body, vertexModel.kind === 'gemini' ? vertexModel.name : '', files);
  const dropsWithEncoding = body['encoding_format'] === 'base64' ? [...converted.dropped, noBase64] : converted.dropped;
  if (converted.method === 'embedContent') return { row: { key: customId, request: converted.body }, dropped: dropsWithEncoding };
  const [instance, ...more] = objectsIn(converted.body['instances']);
  if (instance === undefined || more.length > 0) {
    throw new GatewayError('unsupported_parameter', {
      message: 'a line of a batch can contain only one text here',
      param: 'body.input',
      hint: 'Write one line for each text.',
    });
  }
  const parameters = isJsonObject(converted.body['parameters']) ? Object.keys(converted.body['parameters']) : [];
  const dropped = parameters.map((name) => ({ param: parameterNames[name] ?? name, reason: 'rows of a batch cannot have parameters' }));
  return { row: { ...instance, requestId: customId }, dropped: [...dropsWithEncoding, ...dropped] };
}

/** Rows cannot specify the encoding of vectors. */
const noBase64: Dropped = { param: 'encoding_format', reason: 'the output of a batch has vectors as numbers' };

/** Names of the service's parameters in the client's format. */
const parameterNames: Readonly<Record<string, string>> = {
  outputDimensionality: 'dimensions',
  dimension: 'dimensions',
  autoTruncate: 'auto_truncate',
};

/** Open models accept OpenAI's lines. The model name is replaced, and chat fields that they reject are removed. */
function openRow({ customId, body, vertexModel, settings, files }: BatchLine): ConvertedRow {
  if (files !== undefined) checkMessages(body['messages'], files);
  const model = vertexModel.kind === 'open' ? vertexModel.model : '';
  const plain = withQuirks(functionsAsTools(JsonBody.of(body)), model, [openQuirk]);
  const bare = settings.extensions === 'pass' ? { body: plain.body, dropped: [] } : dropExtensions(plain.body, toolHistory);
  const request = objectOf(parseExact(bare.body.bytes().toString('utf8')));
  const row = { custom_id: customId, method: 'POST', url: '/v1/chat/completions', body: { ...request, model } };
  return { row, dropped: [...plain.dropped, ...bare.dropped] };
}

const missing = (param: string, message: string): GatewayError => new GatewayError('missing_required_parameter', { message, param });

const unserved = (url: string): GatewayError =>
  new GatewayError('invalid_value', {
    message: `"${url}" is not served in batches of this provider`,
    param: 'url',
    hint: 'Use /v1/chat/completions, /v1/embeddings or, for anthropic. models, /v1/messages.',
  });

function wrongModel({ model }: BatchLine, endpoint: string): never {
  throw new GatewayError('unsupported_parameter', {
    message: `the model "${model.slice(0, 100)}" does not serve ${endpoint} in batches`,
    param: 'body.model',
  });
}

import { JsonBody } from '#core/json/body.ts';
import { isJsonObject, type JsonObject } from '#core/json/merge.ts';
import type { Operation } from '#core/provider.ts';
import { openaiUsage } from '#core/model/openai-usage.ts';
import { bareModel } from '#formats/bedrock-converse/request/model.ts';
import { missingParameter, unsupportedParameter } from '#formats/shared/request/parameter-errors.ts';
import { Drops } from '#formats/shared/request/drops.ts';
import { parseObject, textOf } from '#formats/shared/json.ts';
import { checkVectors, encodeFloats } from '#formats/shared/response/vectors.ts';
import { JsonTap } from '#formats/shared/response/json-tap.ts';
import { type BedrockCall, modelRequest } from './address.ts';
import type { BedrockSettings } from './settings.ts';

/** Members that every model family supports, or that the gateway reads. */
const commonFields = ['model', 'input', 'dimensions', 'encoding_format'] as const;
const titanFields: ReadonlySet<string> = new Set([...commonFields, 'normalize']);
const cohereFields: ReadonlySet<string> = new Set([...commonFields, 'input_type', 'truncate']);
const novaFields = cohereFields;

/** Embeddings of Amazon's Titan and Nova models and of Cohere's models, through InvokeModel. */
export const embeddings: Operation<BedrockSettings> = {
  isConverted: true,
  begin(body, call) {
    const drops = new Drops();
    const fields = body.kind === 'none' ? {} : withoutNulls(body.json());
    const converted = bodyFor(call)(fields, call, drops);
    const { encoding_format: encoding = 'float' } = fields;
    const asBase64 = encoding === 'base64';
    if (encoding !== 'float' && !asBase64) drops.add('encoding_format', 'neither float nor base64');
    const tap = new VectorTap();
    return {
      request: modelRequest(call, call.model, 'invoke', { body: JsonBody.of(converted), dropped: drops.list }),
      tap,
      result: (text) => listOf(text, call.model, { asBase64, tokens: tap.usage?.prompt, inputs: textsIn(fields['input']).length }),
      then({ headers }) {
        tap.readHeaders(headers);
        return undefined;
      },
    };
  },
};

/** Removes null values, which some libraries send for unset parameters and the service rejects. */
const withoutNulls = (body: JsonObject): JsonObject => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));

/** Titan reports the token count in the body; for other models the service reports it in a header. */
class VectorTap extends JsonTap {
  override whole(text: string): ReturnType<JsonTap['whole']> {
    const fault = super.whole(text);
    this.#count(/"inputTextTokenCount"\s*:\s*(\d{1,9})/.exec(text)?.[1]);
    return fault;
  }

  /** @param headers of the response; called before its text is read */
  readHeaders(headers: Readonly<Record<string, string>>): void {
    if (this.usage === undefined) this.#count(/^\d{1,9}$/.exec(headers['x-amzn-bedrock-input-token-count'] ?? '')?.[0]);
  }

  #count(digits: string | undefined): void {
    if (digits !== undefined) this.usage = { prompt: Number(digits), completion: 0 };
  }
}

const nameOf = ({ model, foundationModel }: BedrockCall): string => bareModel(foundationModel ?? model);

function bodyFor(call: BedrockCall): (body: JsonObject, call: BedrockCall, drops: Drops) => JsonObject {
  const name = nameOf(call);
  if (name.startsWith('cohere.')) return cohereBody;
  return name.startsWith('amazon.nova') ? novaBody : titanBody;
}

/** True for version 3, which has a fixed vector size and rejects unknown members (Bedrock User Guide, "Cohere Embed v3"). */
const hasFixedSize = (call: BedrockCall): boolean => /^cohere\.embed-\w+-v3\b/.test(nameOf(call));

/** Version 1 accepts only the text (Bedrock User Guide, "Amazon Titan Text Embeddings"). */
function titanBody(body: JsonObject, call: BedrockCall, drops: Drops): JsonObject {
  drops.addUnread(body, titanFields, '', 'not known to this model');
  const text = oneText(body);
  const isVersion1 = /embed-text-v1|embed-g1/.test(nameOf(call));
  const { dimensions, normalize } = body;
  const isMultimodal = /embed-image/.test(nameOf(call));
  if (isVersion1 && dimensions !== undefined) drops.add('dimensions', 'this model has one size of vectors');
  if ((isVersion1 || isMultimodal) && normalize !== undefined) drops.add('normalize', 'not known to this model');
  if (isVersion1) return { inputText: text };
  // Bedrock User Guide, "Amazon Titan Multimodal Embeddings G1".
  if (isMultimodal)
    return { inputText: text, ...(dimensions === undefined ? {} : { embeddingConfig: { outputEmbeddingLength: dimensions } }) };
  return { inputText: text, ...(dimensions === undefined ? {} : { dimensions }), ...(normalize === undefined ? {} : { normalize }) };
}

/** Returns the only text. @throws GatewayError `unsupported_parameter` for several texts */
function oneText({ input }: JsonObject): string {
  const [text, ...more] = textsIn(input);
  if (text !== undefined && more.length === 0) return text;
  throw unsupportedParameter('input', 'The model accepts one text in a request.', 'Send several requests, or use a model of Cohere.');
}

/** Maps `input_type` of Cohere's models to Nova's values. Nova's own values are sent unchanged. */
const novaPurposes: Readonly<Record<string, string>> = {
  search_document: 'GENERIC_INDEX',
  search_query: 'GENERIC_RETRIEVAL',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
};

/**
 * Amazon Nova User Guide, "Complete embeddings request and response schema": one text. Text over the limit is an error, unless
 * truncation is requested.
 */
function novaBody(body: JsonObject, _call: BedrockCall, drops: Drops): JsonObject {
  drops.addUnread(body, novaFields, '', 'not known to this model');
  const { dimensions, input_type: type = 'search_document', truncate = 'NONE' } = body;
  return {
    taskType: 'SINGLE_EMBEDDING',
    singleEmbeddingParams: {
      embeddingPurpose: typeof type === 'string' && Object.hasOwn(novaPurposes, type) ? novaPurposes[type] : type,
      ...(dimensions === undefined ? {} : { embeddingDimension: dimensions }),
      text: { truncationMode: truncate, value: oneText(body) },
    },
  };
}

function cohereBody(body: JsonObject, call: BedrockCall, drops: Drops): JsonObject {
  drops.addUnread(body, cohereFields, '', 'not known to this model');
  const { dimensions, input_type: type = 'search_document', truncate } = body;
  const sendsDimensions = dimensions !== undefined && !hasFixedSize(call);
  if (dimensions !== undefined && !sendsDimensions) drops.add('dimensions', 'this model has one size of vectors');
  return {
    texts: textsIn(body['input']),
    input_type: type,
    embedding_types: ['float'],
    ...(truncate === undefined ? {} : { truncate }),
    ...(sendsDimensions ? { output_dimension: dimensions } : {}),
  };
}

/** Returns the input texts. @throws GatewayError `missing_required_parameter`; `unsupported_parameter` for tokens */
function textsIn(input: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(input) ? input : [input];
  if (list.length === 0 || input === undefined || input === null) throw missingParameter('input');
  if (list.every((one) => typeof one === 'string')) return list as readonly string[];
  throw unsupportedParameter('input', 'The model accepts text, not token arrays.', 'Send a text, or a list of texts.');
}

interface ListOptions {
  readonly asBase64: boolean;
  /** Undefined if not counted. */
  readonly tokens: number | undefined;
  readonly inputs: number;
}

/** Builds the list of embeddings. @throws GatewayError `upstream_invalid` */
function listOf(text: string, model: string, { asBase64, tokens = 0, inputs }: ListOptions): JsonObject {
  const response = parseObject(text) ?? {};
  const vectors = vectorsOf(response);
  // "Amazon Titan Multimodal Embeddings G1": `message` contains the error.
  checkVectors(vectors, inputs, textOf(response['message']));
  const { prompt_tokens, total_tokens } = openaiUsage({ prompt: tokens, completion: 0 });
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({ object: 'embedding', index, embedding: asBase64 ? encodeFloats(vector) : vector })),
    model,
    usage: { prompt_tokens, total_tokens },
  };
}

function vectorsOf({ embedding, embeddings: list }: JsonObject): readonly (readonly number[])[] | undefined {
  if (Array.isArray(embedding)) return [embedding as number[]];
  const vectors: unknown = isJsonObject(list) ? list['float'] : list;
  if (!Array.isArray(vectors)) return undefined;
  // Nova wraps each vector in an object with its type.
  return vectors.map((one: unknown) => (isJsonObject(one) ? one['embedding'] : one) as number[]);
}

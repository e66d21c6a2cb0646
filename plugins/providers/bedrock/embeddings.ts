import { JsonBody } from '#core/json/body.ts';
import { isPlain, type Plain } from '#core/json/merge.ts';
import type { Operation } from '#core/provider.ts';
import { openaiUsage } from '#core/model/openai-usage.ts';
import { bareModel } from '#formats/bedrock-converse/request/model.ts';
import { cannotCarry } from '#formats/shared/request/cannot-carry.ts';
import { Drops } from '#formats/shared/request/drops.ts';
import { parseObject, textOf } from '#formats/shared/json.ts';
import { checkVectors, floats } from '#formats/shared/answer/vectors.ts';
import { JsonTap } from '#formats/shared/answer/json-tap.ts';
import { type BCall, toModel } from './address.ts';
import type { BedrockSettings } from './settings.ts';

/** Members that every model family supports, or that the gateway reads. */
const common = ['model', 'input', 'dimensions', 'encoding_format'] as const;
const titan: ReadonlySet<string> = new Set([...common, 'normalize']);
const cohere: ReadonlySet<string> = new Set([...common, 'input_type', 'truncate']);
const nova = cohere;

/** Embeddings of Amazon's Titan and Nova models and of Cohere's models, through InvokeModel. */
export const embeddings: Operation<BedrockSettings> = {
  isConverted: true,
  begin(body, call) {
    const drops = new Drops();
    const fields = body.kind === 'none' ? {} : withoutNulls(body.json());
    const sent = bodyFor(call)(fields, call, drops);
    const asBase64 = fields['encoding_format'] === 'base64';
    const tap = new VectorTap();
    return {
      request: toModel(call, call.model, 'invoke', { body: JsonBody.of(sent), dropped: drops.list }),
      tap,
      result: (text) => listOf(text, call.model, { asBase64, tokens: tap.usage?.prompt, inputs: textsIn(fields['input']).length }),
      then({ headers }) {
        tap.head(headers);
        return undefined;
      },
    };
  },
};

/** Removes null values, which some libraries send for unset parameters and the service rejects. */
const withoutNulls = (body: Plain): Plain => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));

/** Titan reports the token count in the body; for other models the service reports it in a header. */
class VectorTap extends JsonTap {
  override whole(text: string): ReturnType<JsonTap['whole']> {
    const fault = super.whole(text);
    this.#count(/"inputTextTokenCount"\s*:\s*(\d{1,9})/.exec(text)?.[1]);
    return fault;
  }

  /** @param headers of the response; called before its text is read */
  head(headers: Readonly<Record<string, string>>): void {
    if (this.usage === undefined) this.#count(/^\d{1,9}$/.exec(headers['x-amzn-bedrock-input-token-count'] ?? '')?.[0]);
  }

  #count(digits: string | undefined): void {
    if (digits !== undefined) this.usage = { prompt: Number(digits), completion: 0 };
  }
}

const nameOf = ({ model, foundationModel }: BCall): string => bareModel(foundationModel ?? model);

function bodyFor(call: BCall): (body: Plain, call: BCall, drops: Drops) => Plain {
  const name = nameOf(call);
  if (name.startsWith('cohere.')) return cohereBody;
  return name.startsWith('amazon.nova') ? novaBody : titanBody;
}

/** True for version 3, which has a fixed vector size and rejects unknown members (Bedrock User Guide, "Cohere Embed v3"). */
const hasOneSize = (call: BCall): boolean => /^cohere\.embed-\w+-v3\b/.test(nameOf(call));

/** Version 1 accepts only the text (Bedrock User Guide, "Amazon Titan Text Embeddings"). */
function titanBody(body: Plain, call: BCall, drops: Drops): Plain {
  drops.others(body, titan, '', 'not known to this model');
  const text = oneText(body);
  const isFirst = /embed-text-v1|embed-g1/.test(nameOf(call));
  const { dimensions, normalize } = body;
  const isOfImages = /embed-image/.test(nameOf(call));
  if (isFirst && dimensions !== undefined) drops.add('dimensions', 'this model has one size of vectors');
  if ((isFirst || isOfImages) && normalize !== undefined) drops.add('normalize', 'not known to this model');
  if (isFirst) return { inputText: text };
  // Bedrock User Guide, "Amazon Titan Multimodal Embeddings G1".
  if (isOfImages)
    return { inputText: text, ...(dimensions === undefined ? {} : { embeddingConfig: { outputEmbeddingLength: dimensions } }) };
  return { inputText: text, ...(dimensions === undefined ? {} : { dimensions }), ...(normalize === undefined ? {} : { normalize }) };
}

/** Returns the only text. @throws GatewayError `unsupported_parameter` for several texts */
function oneText({ input }: Plain): string {
  const [text, ...more] = textsIn(input);
  if (text !== undefined && more.length === 0) return text;
  throw cannotCarry('input', 'The model accepts one text in a request.', 'Send several requests, or use a model of Cohere.');
}

/** Maps `input_type` of Cohere's models to Nova's values. Nova's own values are sent unchanged. */
const purposes: Readonly<Record<string, string>> = {
  search_document: 'GENERIC_INDEX',
  search_query: 'GENERIC_RETRIEVAL',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
};

/**
 * Amazon Nova User Guide, "Complete embeddings request and response schema": one text. Text over the limit is an error, unless
 * truncation is requested.
 */
function novaBody(body: Plain, _call: BCall, drops: Drops): Plain {
  drops.others(body, nova, '', 'not known to this model');
  const { dimensions, input_type: type = 'search_document', truncate = 'NONE' } = body;
  return {
    taskType: 'SINGLE_EMBEDDING',
    singleEmbeddingParams: {
      embeddingPurpose: typeof type === 'string' && Object.hasOwn(purposes, type) ? purposes[type] : type,
      ...(dimensions === undefined ? {} : { embeddingDimension: dimensions }),
      text: { truncationMode: truncate, value: oneText(body) },
    },
  };
}

function cohereBody(body: Plain, call: BCall, drops: Drops): Plain {
  drops.others(body, cohere, '', 'not known to this model');
  const { dimensions, input_type: type = 'search_document', truncate } = body;
  const isSized = dimensions !== undefined && !hasOneSize(call);
  if (dimensions !== undefined && !isSized) drops.add('dimensions', 'this model has one size of vectors');
  return {
    texts: textsIn(body['input']),
    input_type: type,
    embedding_types: ['float'],
    ...(truncate === undefined ? {} : { truncate }),
    ...(isSized ? { output_dimension: dimensions } : {}),
  };
}

/** Returns the input texts. @throws GatewayError `unsupported_parameter` for tokens */
function textsIn(input: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(input) ? input : [input];
  if (list.length > 0 && list.every((one) => typeof one === 'string')) return list as readonly string[];
  throw cannotCarry('input', 'The model accepts texts, not tokens.', 'Send a text, or a list of texts.');
}

interface Wanted {
  readonly asBase64: boolean;
  /** Undefined if not counted. */
  readonly tokens: number | undefined;
  readonly inputs: number;
}

/** Builds the list of embeddings. @throws GatewayError `upstream_invalid` */
function listOf(text: string, model: string, { asBase64, tokens = 0, inputs }: Wanted): Plain {
  const answer = parseObject(text) ?? {};
  const vectors = vectorsOf(answer);
  // "Amazon Titan Multimodal Embeddings G1": `message` contains the error.
  checkVectors(vectors, inputs, textOf(answer['message']));
  const { prompt_tokens, total_tokens } = openaiUsage({ prompt: tokens, completion: 0 });
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({ object: 'embedding', index, embedding: asBase64 ? floats(vector) : vector })),
    model,
    usage: { prompt_tokens, total_tokens },
  };
}

function vectorsOf({ embedding, embeddings: list }: Plain): readonly (readonly number[])[] | undefined {
  if (Array.isArray(embedding)) return [embedding as number[]];
  const many: unknown = isPlain(list) ? list['float'] : list;
  if (!Array.isArray(many)) return undefined;
  // Nova wraps each vector in an object with its type.
  return many.map((one: unknown) => (isPlain(one) ? one['embedding'] : one) as number[]);
}

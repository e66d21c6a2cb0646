import { type EmptyBody, JsonBody } from '#core/json/body.ts';
import type { HeaderPairs } from '#core/http/headers.ts';
import type { JsonObject } from '#core/json/merge.ts';
import type { JsonSchema } from '#core/json/schema.ts';
import type { Call, CommonSettings, Dropped, MediaNeed, Operation, UpstreamAddress, UpstreamRequest } from '#core/provider.ts';
import { audioFormat } from '#formats/google-generate/response/audio.ts';
import { fromGenerateContent } from '#formats/google-generate/response/result.ts';
import { withStoredSignatures } from '#formats/google-generate/response/signature-memory.ts';
import { GenerateContentStream } from '#formats/google-generate/response/stream.ts';
import { GeminiTap } from '#formats/google-generate/response/tap.ts';
import { countableChat, fromCountTokens, toCountTokens } from '#formats/google-generate/count-tokens.ts';
import { EmbeddingTap, fromEmbeddings, toDeveloperEmbedding, toVertexEmbedding } from '#formats/google-generate/embeddings.ts';
import { ImageTranslation } from '#formats/google-generate/images/calls.ts';
import { editMedia, toImageEdits } from '#formats/google-generate/images/edits.ts';
import { toImages } from '#formats/google-generate/images/request.ts';
import type { GeminiOptions } from '#formats/google-generate/request/conversion.ts';
import { equivalentPaths, toGenerateContent } from '#formats/google-generate/request/index.ts';
import { editFromForm } from '#formats/openai-objects/edit-form.ts';
import { withToolNames } from '#formats/tool-names/index.ts';
import { objectWithServiceNames } from '#formats/tool-names/request.ts';
import { geminiNames, toolNames, vertexNames } from '#formats/tool-names/rule.ts';
import { JsonTap } from '#formats/shared/response/json-tap.ts';

type GeminiCall<Settings> = Call<Settings & CommonSettings>;

/** Conversion settings that both services have. */
export interface GeminiConversion {
  readonly schemas?: 'converted' | 'original';
  readonly signature_stand_in?: boolean;
}

export const conversionProperties = {
  schemas: {
    enum: ['converted', 'original'],
    description: "JSON Schemas: converted to the service's subset, or sent as the client wrote them.",
    default: 'converted',
  },
  signature_stand_in: {
    type: 'boolean',
    description: 'Function calls without their thought signature get the documented placeholder.',
    default: true,
  },
} as const satisfies Readonly<Record<keyof GeminiConversion, JsonSchema>>;

/** The differences between the services that provide Gemini. */
export interface GeminiService<Settings extends GeminiConversion> {
  readonly surface: 'developer' | 'vertex';
  /** Returns the address of a method of the call's model. */
  address(call: GeminiCall<Settings>, method: string): UpstreamAddress;
  headers(call: GeminiCall<Settings>): HeaderPairs;
  /** True if the call's model is one of Google's own. Set by services that also provide other models. */
  readonly isGoogleModel?: (call: GeminiCall<Settings>) => boolean;
  /** Returns the model, for routes that only Google's own models support; '' for a tuned model. @throws GatewayError for all others */
  googleModel(call: GeminiCall<Settings>): string;
  /** The name of the chat model without publisher; it contains the generation. */
  chatModel(call: GeminiCall<Settings>): string;
  /** Rules for files that a request may name by address; undefined if all are allowed. */
  files?(call: GeminiCall<Settings>): GeminiOptions['files'];
  /** Rules for addresses at which a request may store its results; undefined if all are allowed. */
  outputs?(call: GeminiCall<Settings>): GeminiOptions['files'];
  /** Returns the files that the service does not fetch itself. */
  media?(body: JsonBody | EmptyBody, call: GeminiCall<Settings>): readonly MediaNeed[];
}

/** Returns the conversion options of a provider. */
export const geminiOptions = (
  surface: GeminiOptions['surface'],
  { schemas = 'converted', signature_stand_in: signatureStandIn = true }: GeminiConversion,
  files?: GeminiOptions['files'],
): GeminiOptions => ({ files, surface, schemas, signatureStandIn });

/** Members of a chat with Gemini's own parameters. */
const ownForms = [
  'generation_config',
  'generationConfig',
  'thinking_config',
  'thinkingConfig',
  'speech_config',
  'speechConfig',
  'extra_body',
] as const;

/** The routes of Gemini, converted in both directions. */
export function geminiOperations<Settings extends GeminiConversion>(service: GeminiService<Settings>) {
  const { surface } = service;
  const rule = surface === 'vertex' ? vertexNames : geminiNames;
  const optionsOf = (call: GeminiCall<Settings>) => geminiOptions(surface, call.settings, service.files?.(call));
  const media = service.media === undefined ? {} : { media: service.media.bind(service) };
  const conversionCallOf = (call: GeminiCall<Settings>) => {
    const { media: files, strict, showsReasoning, id, createdAt, notes, isTranslated = false } = call;
    return { model: service.chatModel(call), media: files, strict, showsReasoning, id, createdAt, notes, isTranslated };
  };

  const chat: Operation<Settings> = {
    ...media,
    isConverted: true,
    begin(body, call) {
      const chatBody = withStoredSignatures(body, call);
      const conversionCall = { ...conversionCallOf(call), audioFormat: audioFormat(chatBody) };
      const converted = toGenerateContent(chatBody, conversionCall, optionsOf(call));
      return {
        request: requestTo(service, call, converted, call.stream ? 'streamGenerateContent?alt=sse' : 'generateContent'),
        tap: new GeminiTap(),
        reader: () => new GenerateContentStream(conversionCall),
        result: (text, answer) => fromGenerateContent(text, conversionCall, answer),
      };
    },
  };

  const embeddings: Operation<Settings> = {
    isConverted: true,
    begin(body, call) {
      const fields = bodyObject(body);
      const model = service.googleModel(call);
      const converted =
        surface === 'vertex' ? toVertexEmbedding(fields, model, service.files?.(call)) : toDeveloperEmbedding(fields, model);
      return {
        request: requestTo(service, call, converted, converted.method),
        tap: new EmbeddingTap(),
        result: (text) => fromEmbeddings(text, call.model, fields['encoding_format'] === 'base64', inputCount(fields)),
      };
    },
  };

  const count: Operation<Settings> = {
    ...media,
    ...(service.isGoogleModel === undefined ? {} : { serves: service.isGoogleModel }),
    begin(body, call) {
      const model = service.googleModel(call);
      const { body: counted, dropped: notCounted } = countableChat(bodyObject(body));
      const names = toolNames(counted, rule);
      const renamed = names === undefined ? counted : objectWithServiceNames(counted, names);
      const { body: contents, dropped } = toGenerateContent(renamed, conversionCallOf(call), optionsOf(call));
      const converted = { body: toCountTokens(contents, model, surface), dropped: [...notCounted, ...dropped] };
      return { request: requestTo(service, call, converted, 'countTokens'), tap: new JsonTap(), result: fromCountTokens };
    },
  };

  return {
    'chat/completions': { ...withToolNames(chat, () => rule), count, ownForms, sameMeaning: equivalentPaths },
    embeddings,
    ...imageOperations(service, optionsOf),
  } as const;
}

/** Image generation from a prompt, and image edits from images and a prompt. */
function imageOperations<Settings extends GeminiConversion>(
  service: GeminiService<Settings>,
  optionsOf: (call: GeminiCall<Settings>) => GeminiOptions,
) {
  /** Generates images with the models' own method, or with a chat model that can generate images. */
  const images: Operation<Settings> = {
    isConverted: true,
    begin(body, call) {
      const model = service.googleModel(call);
      const converted = toImages(bodyObject(body), model, { surface: service.surface, outputs: service.outputs?.(call) });
      return new ImageTranslation(requestTo(service, call, converted, converted.method), { model, calls: converted.calls, call });
    },
  };

  const edits: Operation<Settings> = {
    ...(service.media === undefined ? {} : { media: editMedia }),
    fromForm: editFromForm,
    isConverted: true,
    begin(body, call) {
      const model = service.googleModel(call);
      const converted = toImageEdits(bodyObject(body), model, { options: optionsOf(call), media: call.media });
      return new ImageTranslation(requestTo(service, call, converted, converted.method), { model, calls: converted.calls, call });
    },
  };

  return { 'images/generations': images, 'images/edits': edits } as const;
}

/** Returns the number of vectors that a request asks for. */
const inputCount = ({ input }: JsonObject): number => (Array.isArray(input) ? input.length : 1);

interface ConvertedRequest {
  readonly body: JsonObject;
  readonly dropped: readonly Dropped[];
}

function requestTo<Settings extends GeminiConversion>(
  service: GeminiService<Settings>,
  call: GeminiCall<Settings>,
  { body, dropped }: ConvertedRequest,
  method: string,
): UpstreamRequest {
  const { origin, path } = service.address(call, method);
  return { origin, path, method: call.method, headers: service.headers(call), body: JsonBody.of(body), dropped };
}

/** Returns the object of a JSON body, or an empty object if there is no body. */
export const bodyObject = (body: JsonBody | EmptyBody): JsonObject => (body.kind === 'json' ? body.json() : {});

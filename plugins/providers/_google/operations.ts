import { type EmptyBody, JsonBody } from '#core/json/body.ts';
import type { HeaderPairs } from '#core/http/headers.ts';
import type { Plain } from '#core/json/merge.ts';
import type { JsonSchema } from '#core/json/schema.ts';
import type { Call, CommonSettings, Dropped, MediaNeed, Operation, UpstreamAddress, UpstreamRequest } from '#core/provider.ts';
import { audioFormat } from '#formats/google-generate/answer/audio.ts';
import { fromGenerateContent } from '#formats/google-generate/answer/result.ts';
import { withRemembered } from '#formats/google-generate/answer/signature-memory.ts';
import { GenerateContentStream } from '#formats/google-generate/answer/stream.ts';
import { GeminiTap } from '#formats/google-generate/answer/tap.ts';
import { chatOfResponses, fromCountTokens, toCountTokens } from '#formats/google-generate/count-tokens.ts';
import { EmbeddingTap, fromEmbeddings, toDeveloperEmbedding, toVertexEmbedding } from '#formats/google-generate/embeddings.ts';
import { withInputPaths } from '#formats/google-generate/input-paths.ts';
import { ImageTranslation } from '#formats/google-generate/images/calls.ts';
import { editMedia, toImageEdits } from '#formats/google-generate/images/edits.ts';
import { toImages } from '#formats/google-generate/images/request.ts';
import type { GeminiOptions } from '#formats/google-generate/request/conversion.ts';
import { samePlaces, toGenerateContent } from '#formats/google-generate/request/index.ts';
import { editFromForm } from '#formats/openai-objects/edit-form.ts';
import { withToolNames } from '#formats/tool-names/index.ts';
import { objectWithServiceNames } from '#formats/tool-names/request.ts';
import { geminiNames, toolNames, vertexNames } from '#formats/tool-names/rule.ts';
import { JsonTap } from '#formats/shared/answer/json-tap.ts';

type ACall<Settings> = Call<Settings & CommonSettings>;

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
  address(call: ACall<Settings>, method: string): UpstreamAddress;
  headers(call: ACall<Settings>): HeaderPairs;
  /** True if the call's model is one of Google's own. Set by services that also provide other models. */
  readonly isOwn?: (call: ACall<Settings>) => boolean;
  /** Returns the model, for routes that only Google's own models support; '' for a tuned model. @throws GatewayError for all others */
  ownModel(call: ACall<Settings>): string;
  /** The name of the chat model without publisher; it contains the generation. */
  chatModel(call: ACall<Settings>): string;
  /** Rules for files that a request may name by address; undefined if all are allowed. */
  files?(call: ACall<Settings>): GeminiOptions['files'];
  /** Returns the files that the service does not fetch itself. */
  media?(body: JsonBody | EmptyBody, call: ACall<Settings>): readonly MediaNeed[];
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
  const optionsOf = (call: ACall<Settings>) => geminiOptions(surface, call.settings, service.files?.(call));
  const media = service.media === undefined ? {} : { media: service.media.bind(service) };
  const named = (call: ACall<Settings>) => {
    const { media: files, strict, showsReasoning, id, createdAt, notes } = call;
    return { model: service.chatModel(call), media: files, strict, showsReasoning, id, createdAt, notes };
  };

  const chat: Operation<Settings> = {
    ...media,
    isConverted: true,
    begin(body, call) {
      const known = withRemembered(body, call);
      const answered = { ...named(call), audioFormat: audioFormat(known) };
      const converted = toGenerateContent(known, answered, optionsOf(call));
      return {
        request: requestTo(service, call, converted, call.stream ? 'streamGenerateContent?alt=sse' : 'generateContent'),
        tap: new GeminiTap(),
        reader: () => new GenerateContentStream(answered),
        result: (text, answer) => fromGenerateContent(text, answered, answer),
      };
    },
  };

  const embeddings: Operation<Settings> = {
    isConverted: true,
    begin(body, call) {
      const wanted = objectOf(body);
      const model = service.ownModel(call);
      const made = surface === 'vertex' ? toVertexEmbedding(wanted, model, service.files?.(call)) : toDeveloperEmbedding(wanted, model);
      return {
        request: requestTo(service, call, made, made.method),
        tap: new EmbeddingTap(),
        result: (text) => fromEmbeddings(text, call.model, wanted['encoding_format'] === 'base64', inputsIn(wanted)),
      };
    },
  };

  /** Counts the tokens of a responses request. */
  const inputTokens: Operation<Settings> = {
    ...countMembers(service),
    isConverted: true,
    begin(body, call) {
      const model = service.ownModel(call);
      const { body: chatBody, dropped: lost, origins } = chatOfResponses(objectOf(body));
      const names = toolNames(chatBody, rule);
      const counted = names === undefined ? chatBody : objectWithServiceNames(chatBody, names);
      const { body: asked, dropped } = withInputPaths(origins, call, () => toGenerateContent(counted, named(call), optionsOf(call)));
      return {
        request: requestTo(service, call, { body: toCountTokens(asked, model, surface), dropped: [...lost, ...dropped] }, 'countTokens'),
        tap: new JsonTap(),
        result: fromCountTokens,
      };
    },
  };

  return {
    'chat/completions': { ...withToolNames(chat, () => rule), ownForms, sameMeaning: samePlaces },
    embeddings,
    ...imageOperations(service, optionsOf),
    'responses/input_tokens': inputTokens,
  } as const;
}

/** Which models can count tokens, and the files whose tokens are counted. */
function countMembers<Settings extends GeminiConversion>(service: GeminiService<Settings>): Pick<Operation<Settings>, 'serves' | 'media'> {
  const { isOwn, media } = service;
  return {
    ...(isOwn === undefined ? {} : { serves: isOwn }),
    media(body, call) {
      if (media === undefined || body.kind === 'none' || !body.mentions('://')) return [];
      return media.call(service, JsonBody.of(chatOfResponses(objectOf(body)).body), call);
    },
  };
}

/** Image generation from a prompt, and image edits from images and a prompt. */
function imageOperations<Settings extends GeminiConversion>(
  service: GeminiService<Settings>,
  optionsOf: (call: ACall<Settings>) => GeminiOptions,
) {
  /** Generates images with the models' own method, or with a chat model that can generate images. */
  const images: Operation<Settings> = {
    isConverted: true,
    begin(body, call) {
      const model = service.ownModel(call);
      const made = toImages(objectOf(body), model, service.surface);
      return new ImageTranslation(requestTo(service, call, made, made.method), { model, calls: made.calls, call });
    },
  };

  const edits: Operation<Settings> = {
    ...(service.media === undefined ? {} : { media: editMedia }),
    fromForm: editFromForm,
    isConverted: true,
    begin(body, call) {
      const model = service.ownModel(call);
      const made = toImageEdits(objectOf(body), model, { options: optionsOf(call), media: call.media });
      return new ImageTranslation(requestTo(service, call, made, made.method), { model, calls: made.calls, call });
    },
  };

  return { 'images/generations': images, 'images/edits': edits } as const;
}

/** Returns the number of vectors that a request asks for. */
const inputsIn = ({ input }: Plain): number => (Array.isArray(input) ? input.length : 1);

interface Made {
  readonly body: Plain;
  readonly dropped: readonly Dropped[];
}

function requestTo<Settings extends GeminiConversion>(
  service: GeminiService<Settings>,
  call: ACall<Settings>,
  { body, dropped }: Made,
  method: string,
): UpstreamRequest {
  const { origin, path } = service.address(call, method);
  return { origin, path, method: call.method, headers: service.headers(call), body: JsonBody.of(body), dropped };
}

/** Returns the object of a JSON body, or an empty object if there is no body. */
export const objectOf = (body: JsonBody | EmptyBody): Plain => (body.kind === 'json' ? body.json() : {});

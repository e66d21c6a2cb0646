import type { BodyPatch, EmptyBody, JsonBody } from '#core/json/body.ts';
import type { Endpoint } from '#core/endpoint.ts';
import {
  type Call,
  type CommonSettings,
  defineProvider,
  type LocalAnswer,
  type Operation,
  type Probe,
  type UpstreamRequest,
} from '#core/provider.ts';
import { MessagesTap } from '#formats/anthropic-messages/response/tap.ts';
import { JsonTap } from '#formats/shared/response/json-tap.ts';
import { openaiFault } from '#formats/openai-chat/fault.ts';
import { openaiTaps } from '#formats/openai-objects/taps.ts';
import { type Responder, configuredError, modelOf, rendered, mockRequestOf, refusalResponse } from './mock-response.ts';
import * as batches from './stateful/batches.ts';
import { chat, completions } from './chat.ts';
import { bodyOfForm, checkBody } from './fields.ts';
import * as files from './stateful/files.ts';
import { edits, images, speech, transcript, variations } from './media.ts';
import { countTokens, messages } from './messages.ts';
import { compact, inputTokens, responseNotFound, responses } from './responses.ts';
import { Refusal } from './rules.ts';
import { type MockSettings, modelNames, problems, schema } from './settings.ts';
import * as tuning from './stateful/tuning.ts';
import { embeddings, imageEmbeddings, models, moderations } from './vectors.ts';

type MockOperationCall = Call<MockSettings & CommonSettings>;

/** A host that can never exist (RFC 2606): the mock sends no requests. */
const origin = 'https://mock.invalid';

const responders = {
  'chat/completions': chat,
  completions,
  embeddings,
  'images/embeddings': imageEmbeddings,
  'images/generations': images,
  'images/edits': edits,
  'images/variations': variations,
  'audio/speech': speech,
  'audio/transcriptions': transcript,
  'audio/translations': transcript,
  moderations,
  responses,
  'responses/input_tokens': inputTokens,
  'responses/compact': compact,
  'responses/{id}': responseNotFound,
  'responses/{id}/cancel': responseNotFound,
  'responses/{id}/input_items': responseNotFound,
  messages,
  'messages/count_tokens': countTokens,
  models,
  files: files.uploaded,
  'files/list': files.listed,
  'files/{id}': files.retrieved,
  'files/{id}/content': files.content,
  'files/{id}/delete': files.deleted,
  batches: batches.created,
  'batches/list': batches.listed,
  'batches/{id}': batches.retrieved,
  'batches/{id}/cancel': batches.cancelled,
  'batches/{id}/output': batches.output,
  'fine_tuning/jobs': tuning.created,
  'fine_tuning/jobs/list': tuning.listed,
  'fine_tuning/jobs/{id}': tuning.retrieved,
  'fine_tuning/jobs/{id}/cancel': tuning.cancelled,
  'fine_tuning/jobs/{id}/events': tuning.events,
  'fine_tuning/jobs/{id}/checkpoints': tuning.checkpoints,
} as const satisfies { readonly [E in Endpoint]?: Responder };

type MockEndpoint = keyof typeof responders;

const taps = {
  ...openaiTaps,
  // The mock needs one request where other providers need two.
  'batches/{id}/output': openaiTaps['files/{id}/content'],
  'images/embeddings': openaiTaps.embeddings,
  messages: () => new MessagesTap(),
  'messages/count_tokens': () => new JsonTap(),
};

function operations(): { readonly [E in Endpoint]?: Operation<MockSettings> } {
  const operationOf = (endpoint: MockEndpoint): Operation<MockSettings> => ({
    begin: (body, call) => ({
      request: requestOf(body, call),
      tap: taps[endpoint](call),
      local: (sent) => respond(endpoint, sent, call),
    }),
  });
  return Object.freeze(
    Object.fromEntries((Object.keys(responders) as MockEndpoint[]).map((endpoint) => [endpoint, operationOf(endpoint)])),
  );
}

function requestOf(body: JsonBody | EmptyBody, call: MockOperationCall): UpstreamRequest {
  const sent = { origin, path: `/v1/${call.endpoint}`, method: call.method, headers: [], dropped: [] };
  if (call.form !== undefined) return { ...sent, body: { kind: 'form', form: call.form, edit: undefined } };
  return { ...sent, body: body.kind === 'json' ? body.edit(modelPatch(body, call)) : body };
}

const emptyPatch: BodyPatch = new Map();

const modelPatch = (body: JsonBody, { model }: MockOperationCall): BodyPatch =>
  model === '' || body.peek('model') === model ? emptyPatch : new Map([['model', model]]);

/** Rejects bodies that the API would reject, in the API's format; otherwise returns the configured error or response. */
function respond(endpoint: MockEndpoint, { body: sent }: UpstreamRequest, call: MockOperationCall): LocalAnswer {
  const body = sent.kind === 'json' ? sent.json() : 'form' in sent ? bodyOfForm(sent.form.fields) : {};
  const request = mockRequestOf(body, call);
  try {
    checkBody(endpoint, body, modelOf(body, call));
    const content = responders[endpoint](request);
    return configuredError(request) ?? rendered(request, content);
  } catch (thrown) {
    if (thrown instanceof Refusal) return refusalResponse(call, thrown);
    throw thrown;
  }
}

/** Sends a request to the mock itself. */
const probe: Probe = {
  endpoint: 'chat/completions',
  method: 'POST',
  model: 'echo',
  body: { messages: [{ role: 'user', content: 'ping' }] },
  proves: 'credential',
};

/** Generates responses without a network: for first trials, for tests, and as the last target of a fallback. */
export default defineProvider<MockSettings>({
  type: 'mock',
  aliases: [],
  entry: {
    prices: 'none',
    settings: schema,
    requestSettings: [],
    apiKey: 'none',
    check: problems,
    models: (settings) => modelNames(settings).map((id) => ({ id })),
    credential: () => ({ scheme: 'none' }),
    probe: () => [probe],
  },
  operations: operations(),
  fault: openaiFault,
});

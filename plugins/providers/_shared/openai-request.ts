import { type BodyPatch, emptyBody, type EmptyBody, JsonBody } from '#core/json/body.ts';
import { isBatchInput } from '#core/json/batch-file.ts';
import { endpoints } from '#core/endpoint.ts';
import type { FormBody, FormEdit } from '#core/http/form.ts';
import type { HeaderPairs } from '#core/http/headers.ts';
import type { Dropped, UpstreamRequest } from '#core/provider.ts';
import { encodeIdSegment, encodeSegment } from './address.ts';
import { openaiHistory } from '#formats/history/rules.ts';
import { withExact } from '#formats/shared/exact.ts';
import { dropExtensions, dropLabels } from '#formats/openai-chat/extensions.ts';
import { plainChat } from '#formats/openai-chat/plain/index.ts';
import { withQuirks } from '#formats/openai-chat/quirks/index.ts';
import { withoutForeignReasoning } from '#formats/openai-responses/foreign-reasoning.ts';
import { withoutSlug } from '#formats/openai-objects/batch-lines.ts';
import { fileHeaders } from '#formats/openai-objects/file-headers.ts';
import { checkMetadata } from '#formats/openai-objects/objects.ts';
import type { OpenAiCall, OpenAiCompatible } from './openai-service.ts';
import type { OpenAiEndpoint } from '#formats/openai-objects/taps.ts';

/** Builds the upstream request of an endpoint: the client's own body, with the changes that the service needs. */
export function requestOf<Settings>(
  service: OpenAiCompatible<Settings>,
  endpoint: OpenAiEndpoint,
  body: JsonBody | EmptyBody,
  call: OpenAiCall<Settings>,
): UpstreamRequest {
  const route = routeOf(endpoint, call.params['id']);
  const address = service.address(call, route);
  const headers: HeaderPairs = ['accept', acceptOf(endpoint, call.stream), ...(service.headers?.(call) ?? [])];
  if (endpoint === 'files/{id}/content') headers.push(...fileHeaders(call));
  const { method, form } = call;
  if (form !== undefined) {
    const edit = formEdit(service, endpoint, form, call);
    return { ...address, method, headers, body: { kind: 'form', form, edit }, dropped: [] };
  }
  if (body.kind === 'none') return { ...address, method, headers, body: emptyBody, dropped: [] };
  headers.push('content-type', 'application/json');
  if (endpoint === 'batches' || endpoint === 'fine_tuning/jobs') checkMetadata(body.has('metadata') ? body.value('metadata') : undefined);
  const cleaned = endpoint === 'chat/completions' ? cleanChat(service, body, call) : cleanOther(service, endpoint, body, call);
  if (endpoint === 'batches') {
    const { body: bodyWithoutModel, dropped } = withoutModel(cleaned.body);
    return {
      ...address,
      method,
      headers,
      body: service.convertBody?.(bodyWithoutModel, call) ?? bodyWithoutModel,
      dropped: [...cleaned.dropped, ...dropped],
    };
  }
  const bodyWithModel = cleaned.body.edit(modelPatch(service, route, cleaned.body, call));
  const adapted = applyQuirks(service, endpoint, bodyWithModel, call);
  const dropped = adapted === undefined ? cleaned.dropped : [...cleaned.dropped, ...adapted.dropped];
  const finalBody = adapted?.body ?? bodyWithModel;
  return { ...address, method, headers, body: service.convertBody?.(finalBody, call) ?? finalBody, dropped };
}

/** Applies the service's differences from the format. */
function applyQuirks<Settings>(
  { quirks, imageEdits }: OpenAiCompatible<Settings>,
  endpoint: OpenAiEndpoint,
  body: JsonBody,
  { foundationModel, model }: OpenAiCall<Settings>,
) {
  if (endpoint === 'chat/completions') return quirks === undefined ? undefined : withQuirks(body, foundationModel ?? model, quirks);
  return endpoint === 'images/edits' ? imageEdits?.(body) : undefined;
}

interface Cleaned {
  readonly body: JsonBody;
  readonly dropped: readonly Dropped[];
}

/** Removes the fields that only the gateway knows from a chat, unless the service accepts them. */
function cleanChat<Settings>(service: OpenAiCompatible<Settings>, body: JsonBody, call: OpenAiCall<Settings>): Cleaned {
  const dropsExtensions = extensionsOf(service, call) === 'drop';
  const converted = call.isTranslated === true ? convertExtensions(service, body, call, !dropsExtensions) : { body, dropped: noDrops };
  const cleaned = dropsExtensions
    ? dropExtensions(converted.body, service.history?.(call), service.supportedExtensions)
    : { body: converted.body, dropped: noDrops };
  return converted.dropped.length === 0 ? cleaned : { body: cleaned.body, dropped: [...converted.dropped, ...cleaned.dropped] };
}

function cleanOther<Settings>(
  service: OpenAiCompatible<Settings>,
  endpoint: OpenAiEndpoint,
  clientBody: JsonBody,
  call: OpenAiCall<Settings>,
): Cleaned {
  const body = endpoint.startsWith('responses') ? withoutForeignReasoning(clientBody) : clientBody;
  const passesLabels = extensionsOf(service, call) === 'pass' || service.supportedExtensions?.includes('labels') === true;
  return passesLabels ? { body, dropped: noDrops } : dropLabels(body);
}

/** In a translated body, the client did not write these fields: they are passed only if the provider's settings say so. */
const extensionsOf = <Settings>(service: OpenAiCompatible<Settings>, call: OpenAiCall<Settings>): 'drop' | 'pass' =>
  call.settings.extensions ?? (call.isTranslated === true ? 'drop' : service.extensions(call.settings));

/** Converts the gateway's extension fields in a translated body to the service's own forms. */
function convertExtensions<Settings>(
  service: OpenAiCompatible<Settings>,
  body: JsonBody,
  call: OpenAiCall<Settings>,
  passesExtensions: boolean,
) {
  const history = service.history?.(call);
  const { body: converted, dropped } = plainChat(withExact(body.json(), body, 'tools'), {
    model: call.foundationModel ?? call.model,
    isOpenAi: history === undefined || history === openaiHistory,
    passes: passesExtensions,
    known: service.supportedExtensions ?? [],
    media: call.media,
  });
  return { body: JsonBody.of(converted), dropped };
}

/** Returns the route of an endpoint after `/v1/`, encoded. @throws GatewayError `route_not_found`, `invalid_value` for impossible ids */
function routeOf(endpoint: OpenAiEndpoint, id: string | undefined): string {
  const [, template] = endpoints[endpoint].routes[0];
  if (!template.includes('{id}')) return template;
  const encode = endpoint.startsWith('responses') ? encodeSegment : encodeIdSegment;
  return template.replace('{id}', () => encode(id ?? ''));
}

const noDrops: readonly never[] = Object.freeze([]);

/** Endpoints with responses of any type: audio, text, files. */
const anyTypeEndpoints: ReadonlySet<OpenAiEndpoint> = new Set([
  'audio/speech',
  'audio/transcriptions',
  'audio/translations',
  'files/{id}/content',
]);

function acceptOf(endpoint: OpenAiEndpoint, stream: boolean): string {
  if (stream) return 'text/event-stream';
  return anyTypeEndpoints.has(endpoint) ? '*/*' : 'application/json';
}

/**
 * Removes the model: a batch has none, its lines have. A model set by a client or config only chose the provider, and the service
 * would reject it.
 */
function withoutModel(body: JsonBody): Cleaned {
  if (!body.has('model')) return { body, dropped: [] };
  const model = body.peek('model');
  const isSlug = typeof model === 'string' && model.startsWith('@');
  const dropped = isSlug ? [] : [{ param: 'model', reason: 'a batch has none: its lines set it' }];
  return { body: body.edit(new Map([['model', undefined]])), dropped };
}

/** Empty if the body already has the right model, so that its bytes stay unchanged. */
function modelPatch<Settings>(service: OpenAiCompatible<Settings>, route: string, body: JsonBody, call: OpenAiCall<Settings>): BodyPatch {
  const bodyModel = body.peek('model');
  const model = service.bodyModel === undefined ? call.model : service.bodyModel(call, route, bodyModel);
  if (model === undefined || model === '' || bodyModel === model) return emptyPatch;
  return new Map([['model', model]]);
}

const emptyPatch: BodyPatch = new Map();

/** Undefined if the form needs no change. */
function formEdit<Settings>(
  service: OpenAiCompatible<Settings>,
  endpoint: OpenAiEndpoint,
  form: FormBody,
  call: OpenAiCall<Settings>,
): FormEdit | undefined {
  const formModel = form.fields.get('model');
  if (endpoint === 'files') {
    const line = uploadLineEdit(service, form, call);
    // Uploads have no model. One with a slug only chose the provider, which does not know slugs.
    const fields = formModel?.startsWith('@') === true ? removedModel : noFields;
    if (line === undefined && fields === noFields) return undefined;
    return line === undefined ? { fields } : { fields, line };
  }
  const model = service.bodyModel === undefined ? call.model : service.bodyModel(call, endpoint, formModel);
  return model === undefined || model === '' || formModel === model ? undefined : { fields: new Map([['model', model]]) };
}

const noFields: ReadonlyMap<string, undefined> = new Map();
const removedModel: ReadonlyMap<string, undefined> = new Map([['model', undefined]]);

/** Undefined if the file is sent unchanged: only the lines of a batch may change. */
function uploadLineEdit<Settings>(
  service: OpenAiCompatible<Settings>,
  form: FormBody,
  call: OpenAiCall<Settings>,
): FormEdit['line'] | undefined {
  if (!isBatchInput(form)) return undefined;
  const line = service.batchLineEdit?.(call) ?? withoutSlug;
  const first = form.file?.firstLine;
  // All lines of a batch use the same endpoint, and one name of the model if it has no other. If the first needs no change, the
  // file is sent unchanged, with known length.
  const isUnchanged = first !== undefined && service.hasAliases?.(call) !== true && line(first, 0) === first;
  return isUnchanged ? undefined : line;
}

import { type BodyPatch, emptyBody, type EmptyBody, JsonBody } from '#core/json/body.ts';
import { endpoints } from '#core/endpoint.ts';
import type { FormBody, FormEdit } from '#core/http/form.ts';
import type { HeaderPairs } from '#core/http/headers.ts';
import type { Dropped, UpstreamRequest } from '#core/provider.ts';
import { idSegment, segment } from './address.ts';
import { openaiHistory } from '#formats/history/rules.ts';
import { withExact } from '#formats/shared/exact.ts';
import { dropExtensions, dropLabels } from '#formats/openai-chat/extensions.ts';
import { plainChat } from '#formats/openai-chat/plain/index.ts';
import { withQuirks } from '#formats/openai-chat/quirks.ts';
import { fileHeaders } from '#formats/openai-objects/file-headers.ts';
import { checkMetadata } from '#formats/openai-objects/objects.ts';
import type { ACall, OpenAiCompatible } from './openai-compatible.ts';
import type { OpenAiEndpoint } from '#formats/openai-objects/taps.ts';

/** Builds the upstream request of an endpoint: the client's own body, with the changes that the service needs. */
export function requestOf<Settings>(
  service: OpenAiCompatible<Settings>,
  endpoint: OpenAiEndpoint,
  body: JsonBody | EmptyBody,
  call: ACall<Settings>,
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
  const cleaned = endpoint === 'chat/completions' ? cleanChat(service, body, call) : cleanOther(service, body, call);
  if (endpoint === 'batches') {
    const { body: bare, dropped } = withoutModel(cleaned.body);
    return { ...address, method, headers, body: service.body?.(bare, call) ?? bare, dropped: [...cleaned.dropped, ...dropped] };
  }
  const named = cleaned.body.edit(modelPatch(service, route, cleaned.body, call));
  const fitted = fittedTo(service, endpoint, named, call);
  const dropped = fitted === undefined ? cleaned.dropped : [...cleaned.dropped, ...fitted.dropped];
  const fit = fitted?.body ?? named;
  return { ...address, method, headers, body: service.body?.(fit, call) ?? fit, dropped };
}

/** Applies the service's differences from the format. */
function fittedTo<Settings>(
  { quirks, imageEdits }: OpenAiCompatible<Settings>,
  endpoint: OpenAiEndpoint,
  body: JsonBody,
  { model }: ACall<Settings>,
) {
  if (endpoint === 'chat/completions') return quirks === undefined ? undefined : withQuirks(body, model, quirks);
  return endpoint === 'images/edits' ? imageEdits?.(body) : undefined;
}

interface Cleaned {
  readonly body: JsonBody;
  readonly dropped: readonly Dropped[];
}

/** Removes the fields that only the gateway knows from a chat, unless the service accepts them. */
function cleanChat<Settings>(service: OpenAiCompatible<Settings>, body: JsonBody, call: ACall<Settings>): Cleaned {
  const drops = extensionsOf(service, call) === 'drop';
  const plain = call.isTranslated === true ? plainOf(service, body, call, !drops) : { body, dropped: none };
  const bare = drops ? dropExtensions(plain.body, service.history?.(call), service.known) : { body: plain.body, dropped: none };
  return plain.dropped.length === 0 ? bare : { body: bare.body, dropped: [...plain.dropped, ...bare.dropped] };
}

function cleanOther<Settings>(service: OpenAiCompatible<Settings>, body: JsonBody, call: ACall<Settings>): Cleaned {
  const passes = extensionsOf(service, call) === 'pass' || service.known?.includes('labels') === true;
  return passes ? { body, dropped: none } : dropLabels(body);
}

/** In a translated body, the client did not write these fields: they are passed only if the provider's settings say so. */
const extensionsOf = <Settings>(service: OpenAiCompatible<Settings>, call: ACall<Settings>): 'drop' | 'pass' =>
  call.settings.extensions ?? (call.isTranslated === true ? 'drop' : service.extensions(call.settings));

/** Converts the gateway's extension fields in a translated body to the service's own forms. */
function plainOf<Settings>(service: OpenAiCompatible<Settings>, body: JsonBody, call: ACall<Settings>, passes: boolean) {
  const history = service.history?.(call);
  const { body: plain, dropped } = plainChat(withExact(body.json(), body, 'tools'), {
    model: call.foundationModel ?? call.model,
    isOpenAi: history === undefined || history === openaiHistory,
    passes,
    known: service.known ?? [],
    media: call.media,
  });
  return { body: JsonBody.of(plain), dropped };
}

/** Returns the route of an endpoint after `/v1/`, encoded. @throws GatewayError `route_not_found`, `invalid_value` for impossible ids */
function routeOf(endpoint: OpenAiEndpoint, id: string | undefined): string {
  const [, template] = endpoints[endpoint].routes[0];
  if (!template.includes('{id}')) return template;
  const part = endpoint.startsWith('responses') ? segment : idSegment;
  return template.replace('{id}', () => part(id ?? ''));
}

const none: readonly never[] = Object.freeze([]);

/** Endpoints with responses of any type: audio, text, files. */
const anyType: ReadonlySet<OpenAiEndpoint> = new Set(['audio/speech', 'audio/transcriptions', 'audio/translations', 'files/{id}/content']);

function acceptOf(endpoint: OpenAiEndpoint, stream: boolean): string {
  if (stream) return 'text/event-stream';
  return anyType.has(endpoint) ? '*/*' : 'application/json';
}

/**
 * Removes the model: a batch has none, its lines have. A model set by a client or config only chose the provider, and the service
 * would reject it.
 */
function withoutModel(body: JsonBody): Cleaned {
  if (!body.has('model')) return { body, dropped: [] };
  const named = body.peek('model');
  const isSlug = typeof named === 'string' && named.startsWith('@');
  const dropped = isSlug ? [] : [{ param: 'model', reason: 'a batch has none: its lines set it' }];
  return { body: body.edit(new Map([['model', undefined]])), dropped };
}

/** Empty if the body already has the right model, so that its bytes stay unchanged. */
function modelPatch<Settings>(service: OpenAiCompatible<Settings>, route: string, body: JsonBody, call: ACall<Settings>): BodyPatch {
  const named = body.peek('model');
  const model = service.bodyModel === undefined ? call.model : service.bodyModel(call, route, named);
  if (model === undefined || model === '' || named === model) return unchanged;
  return new Map([['model', model]]);
}

const unchanged: BodyPatch = new Map();

/** Undefined if the form needs no change. Uploads have no model, so only their lines may change. */
function formEdit<Settings>(
  service: OpenAiCompatible<Settings>,
  endpoint: OpenAiEndpoint,
  form: FormBody,
  call: ACall<Settings>,
): FormEdit | undefined {
  if (endpoint === 'files') {
    const line = service.lines?.(form, call);
    const first = form.file?.firstLine;
    // All lines of a batch use the same endpoint, and one name of the model if it has no other. If the first needs no change, the
    // file is sent unchanged, with known length.
    const isSame = line !== undefined && first !== undefined && service.hasAliases?.(call) !== true && line(first, 0) === first;
    return line === undefined || isSame ? undefined : { fields: noFields, line };
  }
  const named = form.fields.get('model');
  const model = service.bodyModel === undefined ? call.model : service.bodyModel(call, endpoint, named);
  return model === undefined || model === '' || named === model ? undefined : { fields: new Map([['model', model]]) };
}

const noFields: ReadonlyMap<string, string> = new Map();

import { emptyBody, type EmptyBody, type JsonBody } from '#core/json/body.ts';
import type { Endpoint } from '#core/endpoint.ts';
import type { HeaderPairs } from '#core/http/headers.ts';
import { type Call, type MediaNeed, type Operation, Passing, type Translation, type UpstreamRequest } from '#core/provider.ts';
import { encodeIdSegment } from './address.ts';
import { urlFiles } from '#formats/openai-chat/plain/files.ts';
import { withFunctionsAsTools } from '#formats/openai-chat/legacy-calls.ts';
import { RequestedUsageTap, requestsUsage, withUsage } from '#formats/openai-chat/stream-usage.ts';
import { withDeltas } from '#formats/openai-chat/missing-deltas.ts';
import { replyPartRepairs } from '#formats/openai-chat/reply-parts.ts';
import { fileHeaders } from '#formats/openai-objects/file-headers.ts';
import { batchOutput } from '#formats/openai-objects/batch-output.ts';
import { parseObject, textOf } from '#formats/shared/json.ts';
import { BytesTap, ObjectTap, allowEmpty } from '#formats/openai-objects/object-tap.ts';
import { batchOf, expectObject, jobOf } from '#formats/openai-objects/objects.ts';
import { editFromForm } from '#formats/openai-objects/edit-form.ts';
import { repairs } from '#formats/openai-objects/repairs.ts';
import { withToolNames } from '#formats/tool-names/index.ts';
import { type NameRule, openaiNames } from '#formats/tool-names/rule.ts';
import { requestOf } from './openai-request.ts';
import type { OpenAiCall, OpenAiCompatible } from './openai-service.ts';
import { type OpenAiEndpoint, openaiEndpoints, openaiTaps } from '#formats/openai-objects/taps.ts';

/** Endpoints whose responses are files, batches, jobs or lists of them. */
const objectEndpoints: readonly Endpoint[] = openaiEndpoints.filter(
  (endpoint) =>
    /^(?:files|batches|fine_tuning)\b/.test(endpoint) && endpoint !== 'files/{id}/content' && endpoint !== 'batches/{id}/output',
);

/** Returns the operations of a service that uses the client's own format. The bytes pass unchanged, except for `model`. */
export function openaiCompatible<Settings>(service: OpenAiCompatible<Settings>): { readonly [E in Endpoint]?: Operation<Settings> } {
  const operations: { [E in Endpoint]?: Operation<Settings> } = {};
  for (const endpoint of openaiEndpoints) {
    if (service.unsupportedEndpoints?.includes(endpoint) !== true) operations[endpoint] = { ...operationOf(service, endpoint), ownForms };
  }
  return Object.freeze(operations);
}

/** Some services of this format, mostly gateways, merge its members into the body. */
const ownForms: readonly string[] = ['extra_body'];

/** Returns only the chat operation, for providers whose models use several formats. */
export const openaiChat = <Settings>(service: OpenAiCompatible<Settings>): Operation<Settings> => ({
  ...operationOf(service, 'chat/completions'),
  ownForms,
});

function operationOf<Settings>(service: OpenAiCompatible<Settings>, endpoint: OpenAiEndpoint): Operation<Settings> {
  if (endpoint === 'batches/{id}/output') return outputOf(service);
  const handling = responseHandlingOf(service, endpoint);
  if (endpoint === 'batches/{id}/cancel' || endpoint === 'fine_tuning/jobs/{id}/cancel') return cancelOf(service, endpoint, handling);
  const tapOf = endpoint === 'files/{id}/delete' ? () => allowEmpty(new ObjectTap()) : openaiTaps[endpoint];
  const reportsOnRequest = (endpoint === 'chat/completions' && !rejectsOptions(service)) || endpoint === 'completions';
  const begin: Operation<Settings>['begin'] = (body, call) =>
    reportsOnRequest && body.kind === 'json' && requestsUsage(call)
      ? new Passing(requestOf(service, endpoint, withUsage(body), call), new RequestedUsageTap())
      : new Passing(requestOf(service, endpoint, body, call), tapOf(call));
  // Clients that use this format natively send files in a form that the service accepts.
  if (endpoint === 'chat/completions') {
    const chat = withToolNames({ media: translatedMedia, begin: withRepairs(service, begin) }, translatedNameRule);
    return service.quirks?.some(({ functionsAsTools }) => functionsAsTools) === true ? withFunctionsAsTools(chat) : chat;
  }
  if (endpoint === 'images/edits' && service.imageEdits !== undefined) return { fromForm: editFromForm, begin };
  if (handling === undefined) return { begin };
  return { ...handling.traits, begin: (body, call) => ({ ...begin(body, call), ...handling.membersFor(call) }) };
}

/** Only strict clients of this format need the repairs: others get responses as they are. */
function withRepairs<Settings>({ quirks = [] }: OpenAiCompatible<Settings>, begin: Operation<Settings>['begin']): typeof begin {
  const quirk = quirks.find(({ repliesInParts, omitsDeltas }) => repliesInParts === true || omitsDeltas === true);
  if (quirk === undefined) return begin;
  return (body, call) => {
    const translation = begin(body, call);
    const isPassed = !call.strict || call.isTranslated === true || quirk.models?.test(call.foundationModel ?? call.model) === false;
    if (isPassed) return translation;
    return { ...translation, ...(quirk.omitsDeltas === true ? { repairEvent: withDeltas } : replyPartRepairs(call)) };
  };
}

/** True for a service that reports the usage of a stream without a request, and rejects one. */
const rejectsOptions = <Settings>({ quirks }: OpenAiCompatible<Settings>): boolean =>
  quirks?.some(({ drops, models }) => models === undefined && drops?.includes('stream_options') === true) === true;

/** Handling of responses that do not pass unchanged. */
interface ResponseHandling<Settings> {
  readonly traits: Pick<Operation, 'isConverted'>;
  membersFor(call: OpenAiCall<Settings>): Pick<Translation, 'result' | 'repair'>;
}

function responseHandlingOf<Settings>(
  service: OpenAiCompatible<Settings>,
  endpoint: OpenAiEndpoint,
): ResponseHandling<Settings> | undefined {
  const { convertObject } = service;
  if (convertObject !== undefined && objectEndpoints.includes(endpoint))
    return { traits: { isConverted: true }, membersFor: (call) => ({ result: (text) => convertObject(text, call) }) };
  const repair = repairs.get(endpoint);
  return repair === undefined ? undefined : { traits: {}, membersFor: (call) => ({ repair: (text) => repair(text, call) }) };
}

/** Clients that use this format natively know its rules for names, so only translated requests need the rule. */
const translatedNameRule = ({ isTranslated }: Pick<Call, 'isTranslated'>): NameRule | undefined =>
  isTranslated === true ? openaiNames : undefined;

const translatedMedia = (body: JsonBody | EmptyBody, call: Pick<Call, 'isTranslated'>): readonly MediaNeed[] =>
  call.isTranslated === true && body.kind === 'json' ? urlFiles(body.json()) : noMedia;

const noMedia: readonly MediaNeed[] = Object.freeze([]);

/** The route to read after a cancel, and the object to return if the read fails. Its creation time is then unknown (0). */
const cancelRoutes = {
  'batches/{id}/cancel': {
    readEndpoint: 'batches/{id}',
    fallbackObject: (id: string) => batchOf({ id, status: 'cancelling', created_at: 0 }),
  },
  'fine_tuning/jobs/{id}/cancel': {
    readEndpoint: 'fine_tuning/jobs/{id}',
    fallbackObject: (id: string) => jobOf({ id, status: 'cancelled', created_at: 0 }),
  },
} as const;

/** Some services of this format return no object after a cancel. The object is then read, because the client expects it. */
function cancelOf<Settings>(
  service: OpenAiCompatible<Settings>,
  endpoint: keyof typeof cancelRoutes,
  handling: ResponseHandling<Settings> | undefined,
): Operation<Settings> {
  const { readEndpoint, fallbackObject } = cancelRoutes[endpoint];
  const readAfter = (call: OpenAiCall<Settings>): Translation => ({
    request: { ...requestOf(service, readEndpoint, emptyBody, call), method: 'GET' },
    tap: new ObjectTap(),
    ...handling?.membersFor(call),
    then: expectObject,
    recover: () => fallbackObject(call.params['id'] ?? ''),
  });
  return {
    ...handling?.traits,
    begin: (body, call) => ({
      request: requestOf(service, endpoint, body, call),
      tap: allowEmpty(new ObjectTap()),
      ...handling?.membersFor(call),
      then: ({ text }) => (textOf(parseObject(text)?.['id']) === undefined ? readAfter(call) : undefined),
    }),
  };
}

/** Reads the batch first, then its output file, whose id is in the batch. */
function outputOf<Settings>(service: OpenAiCompatible<Settings>): Operation<Settings> {
  const fileRequest = (batchText: string, call: OpenAiCall<Settings>): UpstreamRequest => {
    const { fileId, warnings } = batchOutput(batchText);
    const headers: HeaderPairs = ['accept', '*/*', ...(service.headers?.(call) ?? []), ...fileHeaders(call)];
    const address = service.address(call, `files/${encodeIdSegment(fileId)}/content`);
    return { ...address, method: 'GET', headers, body: emptyBody, dropped: [], warnings };
  };
  return {
    begin: (body, call) => ({
      request: requestOf(service, 'batches/{id}', body, call),
      tap: new ObjectTap(),
      then: ({ text }) => new Passing(fileRequest(text, call), new BytesTap()),
    }),
  };
}

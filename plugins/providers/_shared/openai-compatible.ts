import { emptyBody, type EmptyBody, type JsonBody } from '#core/json/body.ts';
import type { Endpoint } from '#core/endpoint.ts';
import type { FormBody, LineEdit } from '#core/http/form.ts';
import type { HeaderPairs } from '#core/http/headers.ts';
import type { Call, CommonSettings, MediaNeed, OldOperation, UpstreamAddress } from '#core/provider.ts';
import { idSegment } from './address.ts';
import type { HistoryRules } from '#formats/history/rules.ts';
import { urlFiles } from '#formats/openai-chat/plain/files.ts';
import type { ChatQuirk } from '#formats/openai-chat/quirks.ts';
import { batchOutput } from '#formats/openai-objects/batch-output.ts';
import { parseObject, textOf } from '#formats/shared/json.ts';
import { ObjectTap, orNothing } from '#formats/openai-objects/object-tap.ts';
import { batchOf, jobOf } from '#formats/openai-objects/objects.ts';
import { mends } from '#formats/openai-objects/mends.ts';
import { requestOf } from './openai-request.ts';
import { type OpenAiEndpoint, openaiEndpoints, openaiTaps } from '#formats/openai-objects/taps.ts';

export type ACall<Settings> = Call<Settings & CommonSettings>;

/** What differs between services that speak the OpenAI format. */
export interface OpenAiCompatible<Settings> {
  /** Where a route goes. `route` stands behind `/v1/` and is encoded; the query is the address's business. */
  address(call: ACall<Settings>, route: string): UpstreamAddress;
  /** What happens to the gateway's own body fields when the entry doesn't say. */
  extensions(settings: Settings & CommonSettings): 'drop' | 'pass';
  /** What it takes of the assistant messages of a chat; OpenAI's own rules unless it says otherwise. */
  history?(call: ACall<Settings>): HistoryRules;
  /** Body fields of ours that the service has, too: never left out. */
  readonly known?: readonly string[];
  /** How its chat requests differ from the format. */
  readonly quirks?: readonly ChatQuirk[];
  /** Headers of the service, beside content type, accept and credential. */
  headers?(call: ACall<Settings>): HeaderPairs;
  /**
   * Name to write into the body or form, or undefined to leave its own, which is `named`. Without this: `call.model`
   * where one is set.
   */
  bodyModel?(call: ACall<Settings>, route: string, named: unknown): string | undefined;
  /** A JSON body in the service's own words, where they differ; the model is written already. */
  body?(body: JsonBody, call: ACall<Settings>): JsonBody;
  /** What becomes of the lines of an uploaded file; undefined where its bytes pass. */
  lines?(form: FormBody, call: ACall<Settings>): LineEdit | undefined;
  /** Files, batches, jobs and lists of them as the format has them, from the service's own text; absent where they are the same. */
  object?(text: string, call: ACall<Settings>): unknown;
  /** Endpoints that the service doesn't have. */
  without?: readonly Endpoint[];
}

/** Endpoints whose answers are such objects. */
const objects: readonly Endpoint[] = openaiEndpoints.filter(
  (endpoint) =>
    /^(?:files|batches|fine_tuning)\b/.test(endpoint) && endpoint !== 'files/{id}/content' && endpoint !== 'batches/{id}/output',
);

/** The operations of a service that speaks the client's own format: its bytes pass, only `model` is written anew. */
export function openaiCompatible<Settings>(service: OpenAiCompatible<Settings>): { readonly [E in Endpoint]?: OldOperation<Settings> } {
  const operations: { [E in Endpoint]?: OldOperation<Settings> } = {};
  for (const endpoint of openaiEndpoints) {
    if (service.without?.includes(endpoint) !== true) operations[endpoint] = operationOf(service, endpoint);
  }
  return Object.freeze(operations);
}

function operationOf<Settings>(service: OpenAiCompatible<Settings>, endpoint: OpenAiEndpoint): OldOperation<Settings> {
  if (endpoint === 'batches/{id}/output') return outputOf(service);
  const deleted = endpoint === 'files/{id}/delete' ? { tap: () => orNothing(new ObjectTap()) } : {};
  const cancelled = endpoint === 'batches/{id}/cancel' || endpoint === 'fine_tuning/jobs/{id}/cancel' ? readAfter(service, endpoint) : {};
  const plain: OldOperation<Settings> = {
    request: (body, call) => requestOf(service, endpoint, body, call),
    tap: openaiTaps[endpoint],
    // Clients of the format itself send files as the service takes them.
    ...(endpoint === 'chat/completions' ? { media: translatedFiles } : {}),
    ...deleted,
    ...cancelled,
  };
  const { object } = service;
  if (object !== undefined && objects.includes(endpoint)) return { ...plain, result: (text, call) => object(text, call) };
  const mend = mends.get(endpoint);
  return mend === undefined ? plain : { ...plain, mend };
}

const translatedFiles = (body: JsonBody | EmptyBody, call: Pick<Call, 'isTranslated'>): readonly MediaNeed[] =>
  call.isTranslated === true && body.kind === 'json' ? urlFiles(body.json()) : noFiles;

const noFiles: readonly MediaNeed[] = Object.freeze([]);

/** What is read after a cancel, and what is known where that fails: when it was made is not. */
const cancels = {
  'batches/{id}/cancel': { read: 'batches/{id}', known: (id: string) => batchOf({ id, status: 'cancelling', created_at: 0 }) },
  'fine_tuning/jobs/{id}/cancel': {
    read: 'fine_tuning/jobs/{id}',
    known: (id: string) => jobOf({ id, status: 'cancelled', created_at: 0 }),
  },
} as const;

/** Services of the format that answer a cancel with nothing: the object is read, since the client is promised it. */
function readAfter<Settings>(
  service: OpenAiCompatible<Settings>,
  endpoint: keyof typeof cancels,
): Pick<OldOperation<Settings>, 'then' | 'recover' | 'tap'> {
  const { read, known } = cancels[endpoint];
  return {
    then([first, ...more], call) {
      if (first === undefined || more.length > 0 || textOf(parseObject(first.text)?.['id']) !== undefined) return undefined;
      return { ...requestOf(service, read, emptyBody, call), method: 'GET' };
    },
    recover: (_replies, call) => known(call.params['id'] ?? ''),
    tap: (_call, earlier) => (earlier === undefined ? orNothing(new ObjectTap()) : new ObjectTap()),
  };
}

/** The output of a batch is read where the batch says that it is. */
function outputOf<Settings>(service: OpenAiCompatible<Settings>): OldOperation<Settings> {
  return {
    request: (body, call) => requestOf(service, 'batches/{id}', body, call),
    then(replies, call) {
      const [batch, ...more] = replies;
      if (batch === undefined || more.length > 0) return undefined;
      const { fileId, warnings } = batchOutput(batch.text);
      const headers: HeaderPairs = ['accept', '*/*', ...(service.headers?.(call) ?? [])];
      const address = service.address(call, `files/${idSegment(fileId)}/content`);
      return { ...address, method: 'GET', headers, body: emptyBody, dropped: [], warnings };
    },
    tap: openaiTaps['batches/{id}/output'],
  };
}

/** Those headers of the caller that a service understands, by name. */
export function callerHeaders(call: Pick<Call, 'header'>, names: readonly string[]): HeaderPairs {
  const pairs: HeaderPairs = [];
  for (const name of names) {
    const value = call.header(name);
    if (value !== undefined && value !== '') pairs.push(name, value);
  }
  return pairs;
}

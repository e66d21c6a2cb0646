import { emptyBody, type EmptyBody, type JsonBody } from '#core/json/body.ts';
import type { Endpoint } from '#core/endpoint.ts';
import type { FormBody, LineEdit } from '#core/http/form.ts';
import type { HeaderPairs } from '#core/http/headers.ts';
import {
  type Call,
  type CommonSettings,
  type Dropped,
  type MediaNeed,
  type Operation,
  Passing,
  type Translation,
  type UpstreamAddress,
  type UpstreamRequest,
} from '#core/provider.ts';
import { idSegment } from './address.ts';
import type { HistoryRules } from '#formats/history/rules.ts';
import { urlFiles } from '#formats/openai-chat/plain/files.ts';
import type { ChatQuirk } from '#formats/openai-chat/quirks.ts';
import { batchOutput } from '#formats/openai-objects/batch-output.ts';
import { parseObject, textOf } from '#formats/shared/json.ts';
import { BytesTap, ObjectTap, orNothing } from '#formats/openai-objects/object-tap.ts';
import { batchOf, jobOf } from '#formats/openai-objects/objects.ts';
import { editFromForm } from '#formats/openai-objects/edit-form.ts';
import { mends } from '#formats/openai-objects/mends.ts';
import { withToolNames } from '#formats/tool-names/index.ts';
import { type NameRule, openaiNames } from '#formats/tool-names/rule.ts';
import { requestOf } from './openai-request.ts';
import { type OpenAiEndpoint, openaiEndpoints, openaiTaps } from '#formats/openai-objects/taps.ts';

export type ACall<Settings> = Call<Settings & CommonSettings>;

/** The body of an edit of images as a service that takes JSON alone reads it, and what was left out. */
export type ImageEdits = (body: JsonBody) => { readonly body: JsonBody; readonly dropped: readonly Dropped[] };

/** What differs between services that speak the OpenAI format. */
export interface OpenAiCompatible<Settings> {
  /** Where a route goes. `route` is behind `/v1/` and is encoded; the query is the address's business. */
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
  /** A JSON body converted to the format of the service, where it differs; the model is already set. */
  body?(body: JsonBody, call: ACall<Settings>): JsonBody;
  /** Absent where edits of images go as they came, as a form or JSON. */
  readonly imageEdits?: ImageEdits;
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
export function openaiCompatible<Settings>(service: OpenAiCompatible<Settings>): { readonly [E in Endpoint]?: Operation<Settings> } {
  const operations: { [E in Endpoint]?: Operation<Settings> } = {};
  for (const endpoint of openaiEndpoints) {
    if (service.without?.includes(endpoint) !== true) operations[endpoint] = operationOf(service, endpoint);
  }
  return Object.freeze(operations);
}

/** Its chat alone, for providers whose models speak several formats. */
export const openaiChat = <Settings>(service: OpenAiCompatible<Settings>): Operation<Settings> => operationOf(service, 'chat/completions');

function operationOf<Settings>(service: OpenAiCompatible<Settings>, endpoint: OpenAiEndpoint): Operation<Settings> {
  if (endpoint === 'batches/{id}/output') return outputOf(service);
  const shown = shownBy(service, endpoint);
  if (endpoint === 'batches/{id}/cancel' || endpoint === 'fine_tuning/jobs/{id}/cancel') return cancelOf(service, endpoint, shown);
  const tapOf = endpoint === 'files/{id}/delete' ? () => orNothing(new ObjectTap()) : openaiTaps[endpoint];
  const begin: Operation<Settings>['begin'] = (body, call) => new Passing(requestOf(service, endpoint, body, call), tapOf(call));
  // Clients of the format itself send files as the service takes them.
  if (endpoint === 'chat/completions') return withToolNames({ media: translatedFiles, begin }, namesOfTranslated);
  if (endpoint === 'images/edits' && service.imageEdits !== undefined) return { fromForm: editFromForm, begin };
  if (shown === undefined) return { begin };
  return { ...shown.facts, begin: (body, call) => ({ ...begin(body, call), ...shown.by(call) }) };
}

/** What becomes of answers that do not pass as they are. */
interface Shown<Settings> {
  readonly facts: Pick<Operation, 'isConverted'>;
  by(call: ACall<Settings>): Pick<Translation, 'result' | 'mend'>;
}

function shownBy<Settings>(service: OpenAiCompatible<Settings>, endpoint: OpenAiEndpoint): Shown<Settings> | undefined {
  const { object } = service;
  if (object !== undefined && objects.includes(endpoint))
    return { facts: { isConverted: true }, by: (call) => ({ result: (text) => object(text, call) }) };
  const mend = mends.get(endpoint);
  return mend === undefined ? undefined : { facts: {}, by: (call) => ({ mend: (text) => mend(text, call) }) };
}

/** Clients of the format itself know which names it has. */
const namesOfTranslated = ({ isTranslated }: Pick<Call, 'isTranslated'>): NameRule | undefined =>
  isTranslated === true ? openaiNames : undefined;

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
function cancelOf<Settings>(
  service: OpenAiCompatible<Settings>,
  endpoint: keyof typeof cancels,
  shown: Shown<Settings> | undefined,
): Operation<Settings> {
  const { read, known } = cancels[endpoint];
  const readAfter = (call: ACall<Settings>): Translation => ({
    request: { ...requestOf(service, read, emptyBody, call), method: 'GET' },
    tap: new ObjectTap(),
    ...shown?.by(call),
    recover: () => known(call.params['id'] ?? ''),
  });
  return {
    ...shown?.facts,
    begin: (body, call) => ({
      request: requestOf(service, endpoint, body, call),
      tap: orNothing(new ObjectTap()),
      ...shown?.by(call),
      then: ({ text }) => (textOf(parseObject(text)?.['id']) === undefined ? readAfter(call) : undefined),
    }),
  };
}

/** The output of a batch is read where the batch says that it is. */
function outputOf<Settings>(service: OpenAiCompatible<Settings>): Operation<Settings> {
  const fileOf = (batch: string, call: ACall<Settings>): UpstreamRequest => {
    const { fileId, warnings } = batchOutput(batch);
    const headers: HeaderPairs = ['accept', '*/*', ...(service.headers?.(call) ?? [])];
    const address = service.address(call, `files/${idSegment(fileId)}/content`);
    return { ...address, method: 'GET', headers, body: emptyBody, dropped: [], warnings };
  };
  return {
    begin: (body, call) => ({
      request: requestOf(service, 'batches/{id}', body, call),
      tap: new ObjectTap(),
      then: ({ text }) => new Passing(fileOf(text, call), new BytesTap()),
    }),
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

import { booleanIn } from '#core/text/boolean-text.ts';
import type { RequestBody } from '#core/http/request.ts';
import type { Routed } from '#core/context.ts';
import { type Endpoint, traitsOf } from '#core/endpoint.ts';
import type { FormBody } from '#core/http/form.ts';
import { requestHeaders } from '#core/http/headers.ts';
import { isNamed, withParam } from '#core/http/query.ts';
import { isJsonObject, type JsonObject } from '#core/json/merge.ts';
import type { Attempt } from '#core/plan.ts';
import { withheldHeaders } from '#core/model/request-settings.ts';
import type { Notes } from '#core/model/notes.ts';
import type { Call, CommonSettings, CredentialOwner, Deployment, Media } from '#core/provider.ts';
import type { NoteStore } from './memory/notes.ts';
import type { UsageReports } from './memory/usage-reports.ts';

/** Properties of an attempt, for its call. */
export interface CallParts {
  readonly settings: CommonSettings & JsonObject;
  readonly deployment: Deployment | undefined;
  readonly credential: CredentialOwner;
  /** The body after overrides. */
  readonly body: RequestBody;
  readonly noteStore: NoteStore;
  readonly reports: UsageReports;
}

const noMedia: ReadonlyMap<string, Media> = new Map();

/** One attempt in the form that a provider gets. One object without closures, because every request creates one. */
export class AttemptCall implements Call {
  readonly endpoint: Endpoint;
  readonly method: string;
  readonly settings: CommonSettings & JsonObject;
  readonly model: string;
  readonly deployment: unknown;
  readonly foundationModel: string | undefined;
  readonly strict: boolean;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly params: Readonly<Record<string, string>>;
  readonly query: string;
  readonly credential: CredentialOwner;
  readonly form: FormBody | undefined;
  readonly id: string;
  readonly createdAt: number;
  /** Downloaded files that the provider requested, set before its conversion. */
  media: ReadonlyMap<string, Media> = noMedia;
  readonly #ctx: Routed;
  readonly #attempt: Attempt;
  readonly #noteStore: NoteStore;
  readonly #reports: UsageReports;
  #notes: Notes | undefined;
  readonly #showsReasoningByDefault: boolean | undefined;
  readonly #withheld: readonly string[];

  constructor(ctx: Routed, attempt: Attempt, parts: CallParts) {
    const { deployment } = parts;
    this.endpoint = ctx.endpoint;
    // Not every provider supports HEAD, so GET is sent and the gateway omits the body.
    this.method = ctx.method === 'HEAD' ? 'GET' : ctx.method;
    this.settings = parts.settings;
    this.model = deployment === undefined || traitsOf(ctx.endpoint).baseModel === true ? attempt.model : deployment.model;
    this.deployment = deployment?.settings;
    this.foundationModel = deployment?.foundationModel;
    // Both can disable it; `true` does not enable it again.
    this.strict = attempt.target.strict !== false && isStrict(ctx);
    this.stream = ctx.stream;
    this.includeUsage = ctx.stream && requestsUsage(parts.body);
    this.params = ctx.params;
    this.query = queryFor(ctx, this.model);
    this.credential = parts.credential;
    this.form = parts.body.kind === 'form' ? parts.body : undefined;
    this.id = ctx.id;
    this.createdAt = Math.floor(ctx.at / 1000);
    this.#ctx = ctx;
    this.#attempt = attempt;
    this.#noteStore = parts.noteStore;
    this.#reports = parts.reports;
    this.#showsReasoningByDefault = attempt.target.showsReasoning ?? ctx.facts.caller.key?.showsReasoning;
    this.#withheld = withheldHeaders(attempt.binding.provider, parts.credential);
  }

  /** Computed on demand, because only converted responses need it. */
  get showsReasoning(): boolean {
    return booleanHeader(this.#ctx, 'reasoningContent') ?? this.#showsReasoningByDefault === true;
  }

  /** Also computed on demand. */
  get asksForFunctions(): boolean {
    const { body } = this.#ctx;
    return body.kind === 'json' && body.has('functions') && !body.has('tools');
  }

  header(name: string): string | undefined {
    if (this.#withheld.includes(name)) return undefined;
    const { headers } = this.#ctx;
    const [bare, prefixed] = [headers.get(name), headers.tail(name)];
    // Lists of beta features are joined: a client may set one for all requests, and its library another for this one.
    return bare !== undefined && prefixed !== undefined && name.endsWith('-beta') ? `${bare},${prefixed}` : (bare ?? prefixed);
  }

  /** Only used by formats that store notes about their responses. */
  get notes(): Notes | undefined {
    return (this.#notes ??= this.#noteStore.notesFor(this.#ctx, this.#attempt, this));
  }

  isFirstReport(id: string): boolean {
    return this.#reports.isFirst(this.#attempt, this, id);
  }
}

/** An invalid value is ignored with a warning. */
function isStrict(ctx: Routed): boolean {
  return booleanHeader(ctx, 'strictCompliance') !== false;
}

/** Parses a boolean header, case-insensitively. Any other value is ignored with a warning. */
function booleanHeader({ headers, warnings }: Routed, header: 'strictCompliance' | 'reasoningContent'): boolean | undefined {
  const text = headers.gateway(header);
  if (text === undefined) return undefined;
  const value = booleanIn(text);
  if (value !== undefined) return value;
  const warning = `x-gateway-${requestHeaders[header][0]} is "${text.slice(0, 40)}", neither true nor false: it is ignored.`;
  if (!warnings.includes(warning)) warnings.push(warning);
  return undefined;
}

/**
 * Writes the model into the query of a path that is passed through, where the query names it; a WebSocket names it nowhere else.
 * On other routes a model with a slug only chose the provider, which does not know slugs.
 */
function queryFor({ endpoint, query }: Routed, model: string): string {
  if (endpoint === 'realtime' && model !== '') return withParam(query, 'model', model);
  if (query === '') return '';
  if (endpoint === 'relay' && model !== '') return namesModel(query) ? withParam(query, 'model', model) : query;
  if (!query.includes('model=')) return query;
  return query
    .split('&')
    .filter((pair) => !/^model=(?:@|%40)/i.test(pair))
    .join('&');
}

const namesModel = (query: string): boolean => query.split('&').some((pair) => isNamed(pair, 'model'));

function requestsUsage(body: RequestBody): boolean {
  if (body.kind !== 'json' || !body.has('stream_options')) return false;
  const options = body.value('stream_options');
  return isJsonObject(options) && options['include_usage'] === true;
}

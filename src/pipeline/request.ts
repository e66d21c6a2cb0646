import type { RequestBody, RequestHead } from '../core/http/request.ts';
import { requestsStream, requestedModelIn, requestedModelOf } from '../core/model/requested-model.ts';
import { emptyBody } from '../core/json/body.ts';
import { type MemoryBudget, MemoryReservation } from '../core/memory/budget.ts';
import type { Caller, Facts, Routed } from '../core/context.ts';
import type { Endpoint } from '../core/endpoint.ts';
import type { HeaderBag } from '../core/http/headers.ts';
import type { Plan } from '../core/plan.ts';
import type { ReplacedRequest } from '../core/plugin.ts';
import type { LogRecord, Notes, PluginRecord, UsageRecord } from '../core/records/record.ts';
import type { Snapshot } from '../core/snapshot.ts';
import { noNotes, withNote } from './record/notes.ts';
import { withPathModel } from './path-model.ts';

/** Usage and cost of a request. They are computed once if the response head already contains the cost, and reused for the record. */
export interface Charge {
  readonly usage: UsageRecord;
  readonly cost: LogRecord['cost'];
}

/** The state of one request: the object behind the three context types of core/context.ts. */
export class RequestContext implements Routed {
  readonly id: string;
  /** The route that the client called; a plugin may have replaced the request. */
  readonly calledEndpoint: Endpoint;
  endpoint: Endpoint;
  readonly method: string;
  readonly path: string;
  readonly pathModel: string | undefined;
  params: Readonly<Record<string, string>>;
  /** Changed while further pages of a filtered list are requested. */
  query: string;
  readonly headers: HeaderBag;
  /** Empty until the body is received. */
  body: RequestBody = emptyBody;
  received: RequestBody = emptyBody;
  /** In a form, this field and `stream` may come after the file: they are known once the form is buffered. */
  requestedModel = '';
  stream = false;
  readonly snapshot: Snapshot;
  readonly random: number;
  readonly mode: 'live' | 'dry';
  readonly at: number;
  readonly arrivedAt: number;
  readonly peer: string | undefined;
  readonly traceId: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly warnings: string[] = [];
  readonly facts: Facts & { caller: Caller };
  /** All plugins of the chain have admitted the request. */
  isAdmitted = false;
  readonly plugins: PluginRecord[] = [];
  notes: Notes = noNotes;
  /** The cost of a complete response, once its head is written. */
  charge: Charge | undefined;
  readonly #budget: MemoryBudget;
  #hold: MemoryReservation | undefined;
  #plan: Plan | undefined;

  constructor(arrival: RequestHead, snapshot: Snapshot, budget: MemoryBudget, mode: 'live' | 'dry' = 'live') {
    this.mode = mode;
    this.#budget = budget;
    this.id = arrival.id;
    this.calledEndpoint = arrival.endpoint;
    this.endpoint = arrival.endpoint;
    this.method = arrival.method;
    this.path = arrival.path;
    this.pathModel = arrival.pathModel;
    this.params = arrival.params;
    this.query = arrival.query;
    this.headers = arrival.headers;
    this.snapshot = snapshot;
    this.random = arrival.random;
    this.at = arrival.at;
    this.arrivedAt = arrival.arrivedAt;
    this.peer = arrival.peer;
    this.traceId = arrival.traceId;
    this.metadata = arrival.metadata;
    if (arrival.warnings !== undefined) this.warnings.push(...arrival.warnings);
    this.facts = {
      caller: anonymous,
      virtualKey: undefined,
      choice: undefined,
      config: undefined,
      traversal: undefined,
      prompt: undefined,
      ext: {},
    };
  }

  /** The body was read. */
  receive(read: RequestBody): void {
    const body = this.pathModel === undefined ? read : withPathModel(read, this.pathModel, this.endpoint);
    this.body = body;
    this.received = body.kind === 'form' ? body : read;
    this.requestedModel = requestedModelIn(this, body);
    this.stream = requestsStream(body, this.query);
  }

  /** Replaces the request from here on. */
  replaceRequest({ endpoint, params, body }: ReplacedRequest): void {
    this.endpoint = endpoint;
    this.params = params;
    this.body = body;
    this.requestedModel = requestedModelOf(body, '');
  }

  /** @param plugin whose note it is */
  note(plugin: string, fields: Readonly<Record<string, unknown>>): void {
    this.notes = withNote(this.notes, plugin, fields);
  }

  /** Few requests use memory besides their body. */
  get hold(): MemoryReservation {
    return (this.#hold ??= new MemoryReservation(this.#budget));
  }

  /** The request is over: the body is no longer needed. */
  releaseBody(): void {
    this.#hold?.close();
    this.body = emptyBody;
    this.received = emptyBody;
  }

  get plan(): Plan {
    if (this.#plan === undefined) throw new Error('the plan is read before a plugin made one');
    return this.#plan;
  }

  set plan(plan: Plan) {
    this.#plan = plan;
  }
}

/** The caller until an `admit` plugin sets another, and if the chain has no such plugin. */
const anonymous: Caller = Object.freeze({ name: 'anonymous', key: undefined, credential: undefined, consumed: [] });

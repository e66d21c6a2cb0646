import type { DialectCall } from '../../../core/dialect.ts';
import type { ModelEvent } from '../../../core/events.ts';
import type { JsonObject } from '../../../core/json/merge.ts';
import { bareRequestId, makeCallId } from '../../../core/model/call-id.ts';
import type { Usage } from '../../../core/model/usage.ts';
import { objectOf, objectsIn, stringOf } from '../../shared/json.ts';
import { LeftOut } from '../../shared/left-out.ts';
import { RetainedSize } from '../../shared/response/retained-size.ts';
import { type SignedPiece, signedPieceText } from '../../history/kept-content.ts';
import { CallItem, type CallKind } from './call-item.ts';
import { type ApiEvent, itemAdded, itemDone, noEvents, type OutputItem, type Place, WholeItem } from './items.ts';
import { logprobsFor } from './logprobs.ts';
import { MessageItem } from './message-item.ts';
import { ReasoningItem } from './reasoning-item.ts';
import { endedResponse, isCutBy, openResponse, type ResponseFacts } from './response.ts';
import { isSearch, isSearchResult, SearchItem } from './search-item.ts';
import { annotationFor } from './sources.ts';

type Hub<T extends ModelEvent['type']> = Extract<ModelEvent, { type: T }>;

/** What a response takes from its request. */
export type ResponseCall = Pick<DialectCall, 'id' | 'model' | 'createdAt' | 'echo' | 'warn'>;

/**
 * Converts hub events to events of the responses API: reasoning, messages and calls are items, and each item is closed when the
 * next one begins; only calls may be written side by side. The last event has the whole response, so it is retained.
 */
export class ResponseEvents {
  readonly #call: ResponseCall;
  readonly #facts: { -readonly [K in keyof ResponseFacts]: ResponseFacts[K] };
  /** Names of tools with free text input. */
  readonly #customTools: ReadonlySet<unknown>;
  readonly #output: OutputItem[] = [];
  /** Those of the output that are messages. */
  readonly #messages: MessageItem[] = [];
  /** By the provider's number of the call. */
  readonly #calls = new Map<number, CallItem>();
  readonly #callIds = new Set<string>();
  /** Log probabilities that wait for their text. */
  #logprobs: JsonObject[] = [];
  readonly #retained = new RetainedSize();
  readonly #leftOut: LeftOut;
  /** The first choice of the response. The API has only one. */
  #choice: number | undefined;
  #hasStarted = false;
  #textLength = 0;
  #reason: string | undefined;
  #usage: Usage | undefined;

  constructor(call: ResponseCall) {
    this.#call = call;
    this.#leftOut = new LeftOut(call);
    const echo = call.echo ?? {};
    this.#facts = { id: `resp_${bareRequestId(call.id)}`, model: call.model, createdAt: call.createdAt, echo };
    this.#customTools = new Set(objectsIn(echo['tools']).flatMap(({ type, name }) => (type === 'custom' ? [name] : [])));
  }

  /** False until the provider has sent a finish reason. */
  get isFinished(): boolean {
    return this.#reason !== undefined;
  }

  push(event: ModelEvent): readonly ApiEvent[] {
    if ('choice' in event && event.choice !== undefined && event.choice !== (this.#choice ??= event.choice)) return noEvents;
    switch (event.type) {
      case 'start':
        return this.#start(event.model, event.created);
      case 'finish':
        this.#reason = event.reason;
        return noEvents;
      case 'usage':
        this.#usage = event.usage;
        return noEvents;
      case 'extra':
        if (event.fields['logprobs'] !== undefined) this.#keepLogprobs(event.fields['logprobs']);
        return noEvents;
      case 'error':
      case 'note':
        return noEvents;
      default:
        return [...this.#start('', 0), ...this.#content(event)];
    }
  }

  /** Returns the end of the response. Call it only if `isFinished`. */
  end(): readonly ApiEvent[] {
    const last = [...this.#start('', 0), ...this.#endItems()];
    const response = this.response();
    return [...last, { type: `response.${stringOf(response['status'])}`, response }];
  }

  /** The model may have been stopped while it wrote the last item. */
  #endItems(): readonly ApiEvent[] {
    const last = this.#output.at(-1);
    const status = isCutBy(this.#reason ?? 'stop') ? 'incomplete' : 'completed';
    const closed = [...this.#lastLogprobs(), ...this.#output.flatMap((one) => one.close(one === last ? status : 'completed'))];
    return [...closed, ...this.#signatures(last)];
  }

  /** The whole response. Call it only after `end`. */
  response(): JsonObject {
    return endedResponse(
      this.#facts,
      this.#reason ?? 'stop',
      this.#output.map(({ item }) => item),
      this.#usage,
    );
  }

  #start(model: string, created: number): readonly ApiEvent[] {
    if (this.#hasStarted) return noEvents;
    this.#hasStarted = true;
    if (model !== '') this.#facts.model = model;
    if (created !== 0) this.#facts.createdAt = created;
    const response = openResponse(this.#facts);
    return [
      { type: 'response.created', response },
      { type: 'response.in_progress', response },
    ];
  }

  #content(event: Exclude<ModelEvent, { type: 'start' | 'finish' | 'usage' | 'error' | 'extra' | 'note' }>): readonly ApiEvent[] {
    switch (event.type) {
      case 'text':
        return this.#text(event.text, event.signature);
      case 'audio':
        this.#leftOut.sound(event.audio);
        return this.#text(stringOf(event.audio['transcript']), undefined);
      case 'refusal':
        return this.#refusal(event.text);
      case 'thinking':
        return this.#thinking(event);
      case 'redacted':
        return this.#kept('redacted', event.data);
      case 'tool_call':
        return this.#toolCall(event);
      case 'media':
        return this.#media(event);
      case 'block':
        return this.#block(event);
      case 'annotations':
        return event.annotations.flatMap((source) => this.#cite(source));
      default:
        return event satisfies never;
    }
  }

  #text(text: string, signature: string | undefined): readonly ApiEvent[] {
    if (text === '') return signature === undefined ? noEvents : this.#signLast(signature);
    const { message, begun } = this.#message();
    this.#count(text.length);
    const events = message.text(text, this.#takeLogprobs());
    if (signature !== undefined) this.#sign(message, text.length, signature);
    return [...begun, ...events];
  }

  #sign(message: MessageItem, length: number, signature: string): void {
    this.#retained.add(signature.length);
    message.sign(length, signature);
  }

  /** Keeps the signature that a service sends after a text, or without one. */
  #signLast(signature: string): readonly ApiEvent[] {
    const last = this.#output.at(-1);
    if (!(last instanceof MessageItem) || last.isClosed) return this.#kept('text', signedPieceText({ start: 0, length: 0, signature }));
    this.#sign(last, 0, signature);
    return noEvents;
  }

  /** Returns an item for each signature of the text of a message that has ended. */
  #signatures(item: OutputItem | undefined): readonly ApiEvent[] {
    const signed = item instanceof MessageItem ? item.takeSigned() : noSigned;
    return signed.flatMap((piece) => this.#kept('text', signedPieceText(piece)));
  }

  #keepLogprobs(fields: unknown): void {
    const logprobs = logprobsFor(fields);
    this.#retained.addJson(logprobs);
    for (const one of logprobs) this.#logprobs.push(one);
  }

  #takeLogprobs(): readonly JsonObject[] {
    if (this.#logprobs.length === 0) return noLogprobs;
    const taken = this.#logprobs;
    this.#logprobs = [];
    return taken;
  }

  /** Returns log probabilities after the last text of a message. */
  #lastLogprobs(): readonly ApiEvent[] {
    const last = this.#output.at(-1);
    return this.#logprobs.length > 0 && last instanceof MessageItem && !last.isClosed ? last.addLogprobs(this.#takeLogprobs()) : noEvents;
  }

  #refusal(text: string): readonly ApiEvent[] {
    if (text === '') return noEvents;
    const { message, begun } = this.#message();
    this.#count(text.length);
    return [...begun, ...message.refusal(text)];
  }

  #count(length: number): void {
    this.#textLength += length;
    this.#retained.grow(length);
  }

  /** The open message, or a new one. */
  #message(): { readonly message: MessageItem; readonly begun: readonly ApiEvent[] } {
    const last = this.#output.at(-1);
    if (last instanceof MessageItem && !last.isClosed) return { message: last, begun: noEvents };
    const closed = this.#closeLast();
    const message = this.#add(new MessageItem(this.#place('msg'), this.#textLength));
    this.#messages.push(message);
    return { message, begun: [...closed, message.begin()] };
  }

  #thinking({ text = '', signature, block }: Hub<'thinking'>): readonly ApiEvent[] {
    if (text === '' && signature === undefined) return noEvents;
    const open = this.#openReasoning();
    const isSame = block === undefined || open?.block === undefined || open.block === block;
    const { item, begun } = open !== undefined && isSame ? { item: open, begun: noEvents } : this.#beginReasoning(block);
    this.#retained.grow(text.length + (signature?.length ?? 0));
    if (signature !== undefined) item.keep('thinking', signature);
    return [...begun, ...item.text(text)];
  }

  #openReasoning(): ReasoningItem | undefined {
    const last = this.#output.at(-1);
    return last instanceof ReasoningItem && !last.isClosed ? last : undefined;
  }

  #beginReasoning(block: number | undefined): { readonly item: ReasoningItem; readonly begun: readonly ApiEvent[] } {
    const closed = this.#closeLast();
    const item = this.#add(new ReasoningItem(this.#place('rs'), block));
    return { item, begun: [...closed, item.begin()] };
  }

  /** Writes an item without text for what a later request needs. */
  #kept(kept: 'redacted' | 'next' | 'text', value: string): readonly ApiEvent[] {
    const open = this.#openReasoning();
    const { item, begun } = kept === 'next' && open?.isSigned === false ? { item: open, begun: noEvents } : this.#beginReasoning(undefined);
    this.#retained.grow(value.length);
    item.keep(kept, value);
    return [...begun, ...item.close()];
  }

  #toolCall(event: Hub<'tool_call'>): readonly ApiEvent[] {
    const { index, name = '', arguments: input = '' } = event;
    this.#retained.add(input.length);
    const known = this.#calls.get(index);
    if (known !== undefined) return known.add(name, input);
    const signed = event.thoughtSignature === undefined ? noEvents : this.#kept('next', event.thoughtSignature);
    const closed = this.#closeLast();
    const kind: CallKind = event.kind === 'custom' ? 'text' : this.#customTools.has(name) ? 'wrapped' : 'function';
    const call = this.#add(new CallItem(this.#place(kind === 'function' ? 'fc' : 'ctc'), kind, this.#callId(event.id), name));
    this.#calls.set(index, call);
    return [...signed, ...closed, call.begin(), ...call.add('', input)];
  }

  /** Clients match outputs with calls by their ids. */
  #callId(given: string | undefined): string {
    const made = makeCallId(this.#call.id, 0, this.#calls.size);
    const id = given === undefined || this.#callIds.has(given) ? made : given;
    this.#callIds.add(id);
    return id;
  }

  /** Images are sent as those of the API's image tool. It has no form for other files. */
  #media({ mimeType, base64, signature }: Hub<'media'>): readonly ApiEvent[] {
    if (!mimeType.startsWith('image/')) {
      this.#leftOut.file(mimeType);
      return noEvents;
    }
    const signed = signature === undefined ? noEvents : this.#kept('next', signature);
    const closed = this.#closeLast();
    const at = this.#place('ig');
    const item = { id: at.item_id, type: 'image_generation_call', status: 'completed', output_format: mimeType.slice(6), result: base64 };
    this.#retained.addJson(item);
    this.#output.push(new WholeItem(item));
    return [...signed, ...closed, itemAdded(at, { ...item, status: 'in_progress', result: null }), itemDone(at, item)];
  }

  /** Of the tools that ran at the service, only the web search has a form here. */
  #block({ kind, state, native }: Hub<'block'>): readonly ApiEvent[] {
    if (kind !== 'native') return noEvents;
    const last = this.#output.at(-1);
    const search = last instanceof SearchItem && !last.isClosed ? last : undefined;
    if (state === 'close') return search?.close('completed') ?? noEvents;
    const block = objectOf(native);
    if (!isSearch(block)) {
      if (!isSearchResult(block)) this.#leftOut.step(block);
      search?.read(block);
      return noEvents;
    }
    const closed = this.#closeLast();
    const item = this.#add(new SearchItem(this.#place('ws')));
    item.read(block);
    return [...closed, ...item.begin()];
  }

  /** Sources count their position from the start of the response, here from the start of their text. */
  #cite(source: JsonObject): readonly ApiEvent[] {
    const annotation = annotationFor(source);
    const start = annotation['start_index'];
    const holder = typeof start === 'number' ? this.#messageAt(start) : this.#messages.at(-1);
    if (holder === undefined) return noEvents;
    this.#retained.addJson(annotation);
    return holder.annotate(movedBy(annotation, holder.start));
  }

  #messageAt(offset: number): MessageItem | undefined {
    let [low, high] = [0, this.#messages.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#messages[middle]?.start ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return this.#messages[low - 1];
  }

  #place(prefix: string): Place {
    const output_index = this.#output.length;
    return { item_id: `${prefix}_${bareRequestId(this.#call.id)}_${output_index}`, output_index };
  }

  #add<T extends OutputItem>(item: T): T {
    this.#retained.add();
    this.#output.push(item);
    return item;
  }

  /** Closes the last item, unless it is a call whose input is incomplete. */
  #closeLast(): readonly ApiEvent[] {
    const last = this.#output.at(-1);
    if (last === undefined || (last instanceof CallItem && !last.isComplete)) return noEvents;
    return [...this.#lastLogprobs(), ...last.close('completed'), ...this.#signatures(last)];
  }
}

const noLogprobs: readonly JsonObject[] = Object.freeze([]);
const noSigned: readonly SignedPiece[] = Object.freeze([]);

function movedBy(annotation: JsonObject, start: number): JsonObject {
  const { start_index: from, end_index: to } = annotation;
  return typeof from === 'number' && typeof to === 'number'
    ? { ...annotation, start_index: from - start, end_index: to - start }
    : annotation;
}

import { toolCallerOf } from '../../shared/tool-caller.ts';
import type { ModelEvent } from '../../../core/events.ts';
import type { JsonObject } from '../../../core/json/merge.ts';
import { makeCallId } from '../../../core/model/call-id.ts';
import { RetainedSize } from '../../shared/response/retained-size.ts';
import { inputOf } from './call-input.ts';
import { ObjectEnd } from '../../shared/response/object-end.ts';

/** The next output for a call. */
export interface Step {
  /** The block to begin, if any. */
  readonly start: JsonObject | undefined;
  /** Text of the input; '' for none. */
  readonly delta: string;
  readonly call: CallBlock;
}

/** A tool call of the response. */
export interface CallBlock {
  readonly start: JsonObject;
  /** Signature of the thought that led to the call. */
  readonly signature: string | undefined;
  /** Number of its block; undefined while it is buffered. */
  index: number | undefined;
  /** Input buffered with the call. */
  buffered: string;
  readonly end: ObjectEnd;
  hasInput: boolean;
  /** What arrived of an input that may become null, before any other input. */
  nullPart: string;
  /** Input that is not an object, such as a list. It is converted once it is complete. */
  converted: string | undefined;
}

const partOfNull = /^\s*(?:n|nu|nul|null\s*)?$/;

const emptyCall = Object.freeze({ index: undefined, buffered: '', hasInput: false, nullPart: '', converted: undefined });

const noSteps: readonly Step[] = Object.freeze([]);

/**
 * Converts the calls of one response to blocks. A service may stream several calls at once, but clients read one block after the
 * other, and parse its input when it ends. A call is therefore buffered until the input of the call before it is complete, or
 * until the calls end.
 */
export class CallBlocks {
  readonly #requestId: string;
  /** By the provider's number of the call. */
  readonly #calls = new Map<number, CallBlock>();
  readonly #custom = new Set<number>();
  readonly #ids = new Set<string>();
  /** The call whose block is open. */
  #current: CallBlock | undefined;
  /** Calls in the order of their blocks. Those from `#begun` on are buffered. */
  readonly #order: CallBlock[] = [];
  #begun = 0;
  readonly #retained = new RetainedSize();

  constructor(requestId: string) {
    this.#requestId = requestId;
  }

  get count(): number {
    return this.#calls.size;
  }

  /** True while the input of the open call is incomplete. A closed block cannot be continued, so nothing else may follow yet. */
  get isOpen(): boolean {
    return this.#current?.end.isReached === false;
  }

  take(event: Extract<ModelEvent, { type: 'tool_call' }>): readonly Step[] {
    if (event.kind === 'custom') this.#custom.add(event.index);
    const known = this.#calls.get(event.index);
    const call = known ?? this.#made(event);
    const delta = this.#inputOf(event, call);
    call.end.push(delta);
    if (call.index !== undefined) return [{ start: undefined, delta, call }, ...(call === this.#current ? this.#next() : noSteps)];
    this.#retained.add(delta.length);
    call.buffered += delta;
    if (known === undefined) this.#order.push(call);
    return this.#next();
  }

  /** Returns all calls that are buffered, because other content or the end follows. */
  rest(): readonly Step[] {
    const last = this.#current;
    const converted = last === undefined ? '' : convertedInput(last);
    const ending: readonly Step[] = last === undefined || converted === '' ? noSteps : [{ start: undefined, delta: converted, call: last }];
    this.#current = undefined;
    const buffered = this.#order.slice(this.#begun);
    this.#begun = this.#order.length;
    return [...ending, ...buffered.map((call) => ({ start: call.start, delta: call.buffered + convertedInput(call), call }))];
  }

  #next(): readonly Step[] {
    const out: Step[] = [];
    for (let call = this.#order[this.#begun]; call !== undefined && !this.isOpen; call = this.#order[this.#begun]) {
      this.#begun += 1;
      this.#current = call;
      out.push(begin(call));
    }
    return out;
  }

  #made(event: Extract<ModelEvent, { type: 'tool_call' }>): CallBlock {
    const made = makeCallId(this.#requestId, 0, this.#calls.size);
    const given = (event.id ?? made).replaceAll(/[^\w-]/g, '_');
    // Clients match results with calls by their ids, and the API rejects a request with the same id twice.
    const id = this.#ids.has(given) ? made : given;
    this.#ids.add(id);
    const start = { type: 'tool_use', id, name: event.name ?? '', input: {}, ...toolCallerOf(event) };
    const signature = event.thoughtSignature;
    this.#retained.grow(signature?.length ?? 0);
    const call = { ...emptyCall, start, signature, end: new ObjectEnd() };
    this.#calls.set(event.index, call);
    return call;
  }

  #inputOf(event: Extract<ModelEvent, { type: 'tool_call' }>, call: CallBlock): string {
    // Input of custom tools is free text, not JSON. It is omitted, because the client could not parse it.
    const input = this.#custom.has(event.index) ? '' : (event.arguments ?? '');
    // Some services send null for a call without arguments.
    if (call.hasInput) return this.#converting(input, call);
    const begun = call.nullPart + input;
    call.hasInput = !partOfNull.test(begun);
    call.nullPart = call.hasInput ? '' : begun;
    if (call.hasInput && !/^\s*\{/.test(begun)) call.converted = '';
    return call.hasInput ? this.#converting(begun, call) : '';
  }

  #converting(input: string, call: CallBlock): string {
    if (call.converted === undefined) return input;
    this.#retained.add(input.length);
    call.converted += input;
    return '';
  }
}

/** Input that is not an object, as in a whole response; '' if it is one, or if this was returned before. */
function convertedInput(call: CallBlock): string {
  const { converted } = call;
  if (converted === undefined || converted === '') return '';
  call.converted = '';
  return JSON.stringify(inputOf(converted));
}

const begin = (call: CallBlock): Step => ({ start: call.start, delta: call.buffered, call });

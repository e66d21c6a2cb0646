import type { JsonObject } from '../../../core/json/merge.ts';
import { parseObject } from '../../shared/json.ts';
import { ObjectEnd } from '../../shared/response/object-end.ts';
import { customInput } from '../to-hub/tools.ts';
import { type ApiEvent, type EndStatus, itemAdded, itemDone, noEvents, type OutputItem, type Place } from './items.ts';

/**
 * How the service sends the input of a call: the JSON of a function, free text, or the JSON of the function that stands for a tool
 * with free text input.
 */
export type CallKind = 'function' | 'text' | 'wrapped';

/** A call of a function, or of a tool with free text input. Calls may be written side by side. */
export class CallItem implements OutputItem {
  #status: 'in_progress' | EndStatus = 'in_progress';
  readonly #at: Place;
  readonly #kind: CallKind;
  readonly #id: string;
  #name: string;
  #input = '';
  readonly #end = new ObjectEnd();

  constructor(at: Place, kind: CallKind, id: string, name: string) {
    this.#at = at;
    this.#kind = kind;
    this.#id = id;
    this.#name = name;
  }

  get isClosed(): boolean {
    return this.#status !== 'in_progress';
  }

  get item(): JsonObject {
    return this.#itemWith(this.#status, this.#finalInput());
  }

  /** True if the input is complete, so that the item can be closed before the response ends. */
  get isComplete(): boolean {
    return this.#kind !== 'text' && this.#end.isReached;
  }

  begin(): ApiEvent {
    return itemAdded(this.#at, this.#itemWith('in_progress', ''));
  }

  /** A name may arrive in parts as well. */
  add(name: string, input: string): readonly ApiEvent[] {
    // Only white space can follow a complete input.
    if (this.isClosed) return noEvents;
    this.#name += name;
    if (input === '') return noEvents;
    this.#input += input;
    if (this.#kind !== 'text') this.#end.push(input);
    return this.#kind === 'wrapped' ? noEvents : [this.#delta(input)];
  }

  close(status: EndStatus): readonly ApiEvent[] {
    if (this.isClosed) return noEvents;
    this.#status = status;
    const input = this.#finalInput();
    const isLate = this.#kind === 'wrapped' ? input !== '' : input !== this.#input;
    const done = { type: `${this.#events}.done`, ...this.#at, [this.#member]: input };
    return [...(isLate ? [this.#delta(input)] : noEvents), done, itemDone(this.#at, this.item)];
  }

  /** Some services send nothing for a call without arguments, which clients could not parse. */
  #finalInput(): string {
    if (this.#kind === 'function') return this.#input === '' ? '{}' : this.#input;
    const text = this.#kind === 'wrapped' ? parseObject(this.#input)?.[customInput] : undefined;
    return typeof text === 'string' ? text : this.#input;
  }

  #delta(delta: string): ApiEvent {
    return { type: `${this.#events}.delta`, ...this.#at, delta };
  }

  get #events(): string {
    return this.#kind === 'function' ? 'response.function_call_arguments' : 'response.custom_tool_call_input';
  }

  get #member(): string {
    return this.#kind === 'function' ? 'arguments' : 'input';
  }

  #itemWith(status: string, input: string): JsonObject {
    const type = this.#kind === 'function' ? 'function_call' : 'custom_tool_call';
    return { id: this.#at.item_id, type, status, call_id: this.#id, name: this.#name, [this.#member]: input };
  }
}

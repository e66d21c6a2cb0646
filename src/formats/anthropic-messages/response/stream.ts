import { faultError, GatewayError } from '../../../core/error.ts';
import type { ModelEvent, WireEvent } from '../../../core/events.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { Call } from '../../../core/provider.ts';
import type { StreamTransform } from '../../../core/stream.ts';
import { indexFrom, objectOf, offsetOfValue, parseObject, textOf } from '../../shared/json.ts';
import { MessageBlocks } from './blocks.ts';
import { faultInBand } from '../fault.ts';
import { finishReasons } from './finish.ts';
import { finishReasonOf } from '../../shared/response/stop-reason.ts';
import { isOutput } from './output-tool.ts';
import { bareError, eventNames } from './tap.ts';
import { eventTypeOf } from '../../shared/response/event-type.ts';
import { OutputText } from './output-text.ts';
import { ThoughtNotes } from './thoughts.ts';
import { UsageCounts } from '../usage.ts';
import { streamInterrupted } from '../../shared/response/stream-errors.ts';

const noEvents: readonly ModelEvent[] = Object.freeze([]);

/** Events whose data must be JSON. Others (`ping`, `vertex_event`, unknown ones) may contain anything. */
const jsonEvents: ReadonlySet<string> = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'error',
]);

/** Converts a messages response, streamed or whole, to hub events. */
export class MessagesStream implements StreamTransform<WireEvent, ModelEvent> {
  readonly #call: Pick<Call, 'createdAt'>;
  readonly #counts = new UsageCounts();
  readonly #blocks = new MessageBlocks();
  readonly #thoughts: ThoughtNotes | undefined;
  readonly #output: OutputText | undefined;
  #stop: string | undefined;
  #isFinished = false;
  #hasEnded = false;

  /** @param hasOutputTool the request offers the output tool */
  constructor(call: Pick<Call, 'createdAt'> & Partial<Pick<Call, 'notes'>>, hasOutputTool = false) {
    this.#call = call;
    this.#output = hasOutputTool ? new OutputText() : undefined;
    this.#thoughts = call.notes === undefined ? undefined : new ThoughtNotes();
  }

  push(event: WireEvent): readonly ModelEvent[] {
    if (this.#hasEnded) return noEvents;
    const events = this.#events(event);
    return this.#output === undefined ? events : this.#output.pass(events, this.#blocks.isOutput);
  }

  #events(event: WireEvent): readonly ModelEvent[] {
    const type = eventTypeOf(event, eventNames);
    if (type === 'message_stop') return this.#endEvents();
    if (!jsonEvents.has(type)) return this.#untypedEvent(event.data);
    const data = parseObject(event.data);
    if (data === undefined) return type === 'error' ? this.#error({}, event.data) : this.#invalidJson(type);
    switch (type) {
      case 'content_block_delta':
        this.#thoughts?.delta(blockOf(data['index']), data['delta']);
        return this.#blocks.delta(blockOf(data['index']), data['delta']);
      case 'content_block_start':
        return this.#begin(blockOf(data['index']), data['content_block']);
      case 'content_block_stop':
        return this.#blocks.end(blockOf(data['index']));
      case 'message_start':
        return this.#start(data['message']);
      case 'message_delta':
        return this.#messageDelta(data);
      default:
        return this.#error(data, event.data);
    }
  }

  /**
   * Converts a whole response to the events of its stream.
   *
   * @throws GatewayError `upstream_invalid`
   */
  whole(answer: unknown): readonly ModelEvent[] {
    const message = messageIn(answer);
    const events = [...this.#start(message)];
    for (const [index, block] of contentOf(message).entries()) events.push(...this.#begin(index, block), ...this.#blocks.end(index));
    return [...events, ...this.#messageDelta({ delta: message }), ...this.#endEvents()];
  }

  /** Without `message_stop` the response is incomplete. */
  end(): readonly ModelEvent[] {
    if (this.#hasEnded) return noEvents;
    return this.fail(streamInterrupted());
  }

  fail(error: GatewayError): readonly ModelEvent[] {
    if (this.#hasEnded) return noEvents;
    this.#hasEnded = true;
    return [{ type: 'error', error }];
  }

  /** The reasoning before a call is stored before the client receives the call. */
  #begin(index: number, block: unknown): readonly ModelEvent[] {
    const note = this.#thoughts?.begin(index, block);
    const events = this.#blocks.begin(index, block);
    return note === undefined ? events : [{ type: 'note', note }, ...events];
  }

  #start(message: unknown): readonly ModelEvent[] {
    const { id, model, usage } = isJsonObject(message) ? message : ({} as JsonObject);
    this.#counts.add(usage);
    return [{ type: 'start', id: textOf(id) ?? '', model: textOf(model) ?? '', created: this.#call.createdAt }];
  }

  #messageDelta(data: JsonObject): readonly ModelEvent[] {
    const delta = objectOf(data['delta']);
    this.#counts.add(data['usage']);
    this.#stop = textOf(delta['stop_reason']) ?? this.#stop;
    const events: ModelEvent[] = [];
    const top = present(topExtras, data, delta);
    if (top !== undefined) events.push({ type: 'extra', fields: top, strict: false });
    const extras = present(choiceExtras, delta);
    if (extras !== undefined) events.push({ type: 'extra', choice: 0, fields: extras, strict: false });
    return this.#stop === undefined ? events : [...events, ...this.#finish()];
  }

  #finish(): readonly ModelEvent[] {
    if (this.#isFinished) return noEvents;
    this.#isFinished = true;
    const rest = this.#blocks.endOpen();
    const { annotations, calls } = this.#blocks;
    const reason = finishReasonOf(finishReasons, this.#stop, calls);
    const sources: readonly ModelEvent[] = annotations.length === 0 ? noEvents : [{ type: 'annotations', choice: 0, annotations }];
    return [...rest, ...sources, { type: 'finish', choice: 0, reason, ...(this.#stop === undefined ? {} : { raw: this.#stop }) }];
  }

  #endEvents(): readonly ModelEvent[] {
    const finish = this.#finish();
    this.#hasEnded = true;
    const { usage } = this.#counts;
    return usage === undefined ? finish : [...finish, { type: 'usage', usage }];
  }

  /** A service in front of the API sends errors in another form. */
  #untypedEvent(raw: string): readonly ModelEvent[] {
    const error = offsetOfValue(raw, 'error') < 0 ? undefined : bareError(raw);
    return error === undefined ? noEvents : this.#error(error, raw);
  }

  #error(data: JsonObject, raw: string): readonly ModelEvent[] {
    return this.fail(faultError(faultInBand(data, raw)));
  }

  #invalidJson(type: string): readonly ModelEvent[] {
    return this.fail(
      new GatewayError('upstream_invalid', { message: `The provider sent an event "${type}" that is not JSON.`, source: 'provider' }),
    );
  }
}

function messageIn(answer: unknown): JsonObject {
  if (isJsonObject(answer) && Array.isArray(answer['content'])) return answer;
  throw new GatewayError('upstream_invalid', {
    message: "The provider's response is not a message: it has no content.",
    source: 'provider',
  });
}

/** If the output tool enforces the schema, other texts are not part of the response. */
function contentOf({ content }: JsonObject): readonly JsonObject[] {
  const blocks = (content as readonly unknown[]).filter(isJsonObject);
  return blocks.some(isOutput) ? blocks.filter((block) => block['type'] !== 'text') : blocks;
}

/** Members of a choice that OpenAI's format lacks. Sent with strict compliance off. */
const choiceExtras = ['stop_sequence', 'stop_details'] as const;

/** Members of a response that OpenAI's format lacks. Sent with strict compliance off. */
const topExtras = ['container', 'context_management'] as const;

/** Returns the members that are set, from the first object that has them; undefined if there are none. */
function present(keys: readonly string[], object: JsonObject, other?: JsonObject): JsonObject | undefined {
  let found: Record<string, unknown> | undefined;
  for (const key of keys) {
    const value = other === undefined || Object.hasOwn(object, key) ? object[key] : other[key];
    if (value !== null && value !== undefined) (found ??= {})[key] = value;
  }
  return found;
}

const blockOf = (value: unknown): number => indexFrom(value) ?? 0;

import { faultError, GatewayError } from '../../../core/error.ts';
import type { ModelEvent, WireEvent } from '../../../core/events.ts';
import { isPlain, type Plain } from '../../../core/json/merge.ts';
import type { Call } from '../../../core/provider.ts';
import type { StreamTransform } from '../../../core/stream.ts';
import { parseObject, textOf, valueOf } from '../../shared/json.ts';
import { MessageBlocks } from './blocks.ts';
import { faultInBand } from '../fault.ts';
import { finishReasons } from './finish.ts';
import { finishReasonOf } from '../../shared/answer/stop-reason.ts';
import { isOutput } from './output-tool.ts';
import { bareError, eventType } from './tap.ts';
import { ThoughtNotes } from './thoughts.ts';
import { UsageCounts } from '../usage.ts';
import { streamInterrupted } from '../../shared/answer/interrupted.ts';

const nothing: readonly ModelEvent[] = Object.freeze([]);

/** Events whose data must be readable; others (`ping`, `vertex_event`, what is new) may hold anything. */
const known: ReadonlySet<string> = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'error',
]);

/** A messages answer, streamed or whole, as events of the hub. */
export class MessagesStream implements StreamTransform<WireEvent, ModelEvent> {
  readonly #call: Pick<Call, 'createdAt'>;
  readonly #counts = new UsageCounts();
  readonly #blocks = new MessageBlocks();
  readonly #thoughts: ThoughtNotes | undefined;
  #stop: string | undefined;
  #isFinished = false;
  #isOver = false;

  constructor(call: Pick<Call, 'createdAt'> & Partial<Pick<Call, 'notes'>>) {
    this.#call = call;
    this.#thoughts = call.notes === undefined ? undefined : new ThoughtNotes();
  }

  push(event: WireEvent): readonly ModelEvent[] {
    if (this.#isOver) return nothing;
    const type = eventType(event);
    if (type === 'message_stop') return this.#finished();
    if (!known.has(type)) return this.#unnamed(event.data);
    const data = parseObject(event.data);
    if (data === undefined) return this.#unreadable(type);
    switch (type) {
      case 'content_block_delta':
        this.#thoughts?.delta(numberOf(data['index']), data['delta']);
        return this.#blocks.delta(numberOf(data['index']), data['delta']);
      case 'content_block_start':
        return this.#begin(numberOf(data['index']), data['content_block']);
      case 'content_block_stop':
        return this.#blocks.end(numberOf(data['index']));
      case 'message_start':
        return this.#start(data['message']);
      case 'message_delta':
        return this.#messageDelta(data);
      default:
        return this.#error(data, event.data);
    }
  }

  /**
   * A whole answer, as a stream of it would say it.
   *
   * @throws GatewayError `upstream_invalid`
   */
  whole(answer: unknown): readonly ModelEvent[] {
    const message = messageIn(answer);
    const events = [...this.#start(message)];
    for (const [index, block] of contentOf(message).entries()) events.push(...this.#begin(index, block), ...this.#blocks.end(index));
    return [...events, ...this.#messageDelta({ delta: message }), ...this.#finished()];
  }

  /** `message_stop` was not seen: the answer is not whole. */
  end(): readonly ModelEvent[] {
    if (this.#isOver) return nothing;
    return this.fail(streamInterrupted());
  }

  fail(error: GatewayError): readonly ModelEvent[] {
    if (this.#isOver) return nothing;
    this.#isOver = true;
    return [{ type: 'error', error }];
  }

  /** The thoughts before a call are known before the client hears of the call. */
  #begin(index: number, block: unknown): readonly ModelEvent[] {
    const note = this.#thoughts?.begin(index, block);
    const events = this.#blocks.begin(index, block);
    return note === undefined ? events : [{ type: 'note', note }, ...events];
  }

  #start(message: unknown): readonly ModelEvent[] {
    const { id, model, usage } = isPlain(message) ? message : ({} as Plain);
    this.#counts.add(usage);
    return [{ type: 'start', id: textOf(id) ?? '', model: textOf(model) ?? '', created: this.#call.createdAt }];
  }

  #messageDelta(data: Plain): readonly ModelEvent[] {
    const delta = isPlain(data['delta']) ? data['delta'] : {};
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
    if (this.#isFinished) return nothing;
    this.#isFinished = true;
    const { annotations, calls, isOutput } = this.#blocks;
    const reason = finishReasonOf(finishReasons, this.#stop, { calls, isOutput });
    const sources: readonly ModelEvent[] = annotations.length === 0 ? nothing : [{ type: 'annotations', choice: 0, annotations }];
    return [...sources, { type: 'finish', choice: 0, reason, ...(this.#stop === undefined ? {} : { raw: this.#stop }) }];
  }

  #finished(): readonly ModelEvent[] {
    const finish = this.#finish();
    this.#isOver = true;
    const { usage } = this.#counts;
    return usage === undefined ? finish : [...finish, { type: 'usage', usage }];
  }

  /** An error of a service in front of the API has another form. */
  #unnamed(raw: string): readonly ModelEvent[] {
    const error = valueOf(raw, 'error') < 0 ? undefined : bareError(raw);
    return error === undefined ? nothing : this.#error(error, raw);
  }

  #error(data: Plain, raw: string): readonly ModelEvent[] {
    return this.fail(faultError(faultInBand(data, raw)));
  }

  #unreadable(type: string): readonly ModelEvent[] {
    return this.fail(
      new GatewayError('upstream_invalid', { message: `The provider sent an event "${type}" that is not JSON.`, source: 'provider' }),
    );
  }
}

function messageIn(answer: unknown): Plain {
  if (isPlain(answer) && Array.isArray(answer['content'])) return answer;
  throw new GatewayError('upstream_invalid', {
    message: "The provider's response is not a message: it has no content.",
    source: 'provider',
  });
}

/** Texts beside the answer that is held to its schema are not part of it. */
function contentOf({ content }: Plain): readonly Plain[] {
  const blocks = (content as readonly unknown[]).filter(isPlain);
  return blocks.some(isOutput) ? blocks.filter((block) => block['type'] !== 'text') : blocks;
}

/** What the choice says beyond OpenAI's words, with strict compliance off. */
const choiceExtras = ['stop_sequence', 'stop_details'] as const;

/** What the answer says beyond OpenAI's words, with strict compliance off. */
const topExtras = ['container', 'context_management'] as const;

/** The members that say something, of the first object that has them; undefined where there are none. */
function present(keys: readonly string[], object: Plain, other?: Plain): Plain | undefined {
  let found: Record<string, unknown> | undefined;
  for (const key of keys) {
    const value = other === undefined || Object.hasOwn(object, key) ? object[key] : other[key];
    if (value !== null && value !== undefined) (found ??= {})[key] = value;
  }
  return found;
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

import { GatewayError } from '#core/error.ts';
import type { BlockKind, ModelEvent, WireEvent } from '#core/events.ts';
import { isPlain, type Plain } from '#core/merge.ts';
import type { Call } from '#core/provider.ts';
import type { StreamTransform } from '#core/stream.ts';
import { parseObject, textOf } from '../json.ts';
import { answerExtras, choiceExtras } from './chat-result.ts';
import { faultOf, statusOfType } from './fault.ts';
import { finishReason } from './finish.ts';
import { eventType } from './tap.ts';
import { UsageCounts } from './usage.ts';

/** A tool call that is being told. */
interface OpenCall {
  /** Counts calls over the whole answer: blocks of other kinds stand between them. */
  readonly index: number;
  /** Arguments that came with the start, used where no deltas follow. */
  readonly whole: string;
  hasArguments: boolean;
}

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

/** A streamed messages answer as events of the hub. */
export class MessagesStream implements StreamTransform<WireEvent, ModelEvent> {
  readonly #call: Pick<Call, 'createdAt'>;
  readonly #counts = new UsageCounts();
  readonly #open = new Map<number, OpenCall>();
  readonly #kinds = new Map<number, BlockKind>();
  #calls = 0;
  #stop: string | undefined;
  #isFinished = false;
  #isOver = false;

  constructor(call: Pick<Call, 'createdAt'>) {
    this.#call = call;
  }

  push(event: WireEvent): readonly ModelEvent[] {
    if (this.#isOver) return nothing;
    const type = eventType(event);
    if (type === 'message_stop') return this.#finished();
    if (!known.has(type)) return nothing;
    const data = parseObject(event.data);
    if (data === undefined) return this.#unreadable(type);
    switch (type) {
      case 'content_block_delta':
        return this.#delta(numberOf(data['index']), data['delta']);
      case 'content_block_start':
        return this.#blockStart(numberOf(data['index']), data['content_block']);
      case 'content_block_stop':
        return this.#blockStop(numberOf(data['index']));
      case 'message_start':
        return this.#start(data['message']);
      case 'message_delta':
        return this.#messageDelta(data);
      default:
        return this.#error(data, event.data);
    }
  }

  /** `message_stop` was not seen: the answer is not whole. */
  end(): readonly ModelEvent[] {
    if (this.#isOver) return nothing;
    return this.fail(
      new GatewayError('stream_interrupted', { message: 'The provider closed the stream before its end.', source: 'provider' }),
    );
  }

  fail(error: GatewayError): readonly ModelEvent[] {
    if (this.#isOver) return nothing;
    this.#isOver = true;
    return [{ type: 'error', error }];
  }

  #start(message: unknown): readonly ModelEvent[] {
    const { id, model, usage } = isPlain(message) ? message : ({} as Plain);
    this.#counts.add(usage);
    return [{ type: 'start', id: textOf(id) ?? '', model: textOf(model) ?? '', created: this.#call.createdAt }];
  }

  #blockStart(block: number, content: unknown): readonly ModelEvent[] {
    if (!isPlain(content)) return nothing;
    this.#kinds.set(block, kindOf(content['type']));
    switch (content['type']) {
      case 'text':
        return [
          { type: 'block', choice: 0, block, state: 'open', kind: 'text' },
          ...(textOf(content['text']) === undefined ? nothing : this.#delta(block, { type: 'text_delta', text: content['text'] })),
          ...(Array.isArray(content['citations'])
            ? content['citations'].map((citation): ModelEvent => native(block, { citation }))
            : nothing),
        ];
      case 'thinking':
        return [
          { type: 'block', choice: 0, block, state: 'open', kind: 'thinking' },
          ...(textOf(content['thinking']) === undefined
            ? nothing
            : this.#delta(block, { type: 'thinking_delta', thinking: content['thinking'] })),
          ...(textOf(content['signature']) === undefined
            ? nothing
            : this.#delta(block, { type: 'signature_delta', signature: content['signature'] })),
        ];
      case 'redacted_thinking':
        return [{ type: 'redacted', choice: 0, block, data: String(content['data']) }];
      case 'tool_use':
        return this.#callStart(block, content);
      default:
        // The API's own tools and whatever is new: as it came, for clients that asked for blocks.
        return [native(block, content)];
    }
  }

  #callStart(block: number, content: Plain): readonly ModelEvent[] {
    const index = this.#calls;
    this.#calls += 1;
    const input = isPlain(content['input']) ? JSON.stringify(content['input']) : '{}';
    this.#open.set(block, { index, whole: input, hasArguments: false });
    const id = textOf(content['id']);
    return [
      { type: 'tool_call', choice: 0, index, name: textOf(content['name']) ?? '', arguments: '', ...(id === undefined ? {} : { id }) },
    ];
  }

  #delta(block: number, delta: unknown): readonly ModelEvent[] {
    if (!isPlain(delta)) return nothing;
    switch (delta['type']) {
      case 'text_delta':
        return typeof delta['text'] === 'string' ? [{ type: 'text', choice: 0, block, text: delta['text'] }] : nothing;
      case 'thinking_delta':
        return typeof delta['thinking'] === 'string' ? [{ type: 'thinking', choice: 0, block, text: delta['thinking'] }] : nothing;
      case 'signature_delta':
        return typeof delta['signature'] === 'string' ? [{ type: 'thinking', choice: 0, block, signature: delta['signature'] }] : nothing;
      case 'input_json_delta':
        return this.#input(block, delta['partial_json']);
      default: {
        // citations_delta and what is new: its members, without the type, as in the other deltas.
        const { type: _type, ...members } = delta;
        return [native(block, members)];
      }
    }
  }

  #input(block: number, text: unknown): readonly ModelEvent[] {
    if (typeof text !== 'string' || text === '') return nothing;
    const call = this.#open.get(block);
    if (call === undefined) return [native(block, { partial_json: text })];
    call.hasArguments = true;
    return [{ type: 'tool_call', choice: 0, index: call.index, arguments: text }];
  }

  /** A call without arguments has no deltas; clients want JSON all the same. */
  #blockStop(block: number): readonly ModelEvent[] {
    const call = this.#open.get(block);
    const close: ModelEvent = { type: 'block', choice: 0, block, state: 'close', kind: this.#kinds.get(block) ?? 'native' };
    if (call === undefined) return [close];
    this.#open.delete(block);
    return call.hasArguments ? [close] : [{ type: 'tool_call', choice: 0, index: call.index, arguments: call.whole }, close];
  }

  #messageDelta(data: Plain): readonly ModelEvent[] {
    const delta = isPlain(data['delta']) ? data['delta'] : {};
    this.#counts.add(data['usage']);
    this.#stop = textOf(delta['stop_reason']) ?? this.#stop;
    const events: ModelEvent[] = [];
    const top = answerExtras({ ...delta, ...data });
    if (Object.keys(top).length > 0) events.push({ type: 'extra', fields: top, strict: false });
    const extras = choiceExtras(delta, undefined);
    if (Object.keys(extras).length > 0) events.push({ type: 'extra', choice: 0, fields: extras, strict: false });
    return this.#stop === undefined ? events : [...events, ...this.#finish()];
  }

  #finish(): readonly ModelEvent[] {
    if (this.#isFinished) return nothing;
    this.#isFinished = true;
    const reason = finishReason(this.#stop, this.#calls > 0);
    return [{ type: 'finish', choice: 0, reason, ...(this.#stop === undefined ? {} : { raw: this.#stop }) }];
  }

  #finished(): readonly ModelEvent[] {
    const finish = this.#finish();
    this.#isOver = true;
    const { usage } = this.#counts;
    return usage === undefined ? finish : [...finish, { type: 'usage', usage }];
  }

  #error(data: Plain, raw: string): readonly ModelEvent[] {
    const fault = faultOf(data, raw);
    return this.fail(
      new GatewayError('provider_error', { message: fault.message, status: statusOfType(fault.type), source: 'provider', provider: fault }),
    );
  }

  #unreadable(type: string): readonly ModelEvent[] {
    return this.fail(
      new GatewayError('upstream_invalid', { message: `The provider sent an event "${type}" that is not JSON.`, source: 'provider' }),
    );
  }
}

function kindOf(type: unknown): BlockKind {
  if (type === 'text' || type === 'thinking') return type;
  if (type === 'redacted_thinking') return 'redacted';
  return type === 'tool_use' ? 'tool' : 'native';
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

const native = (block: number, members: unknown): ModelEvent => ({
  type: 'block',
  choice: 0,
  block,
  state: 'open',
  kind: 'native',
  native: members,
});

import { parsedJson } from '../../core/json/scan.ts';
import type { WireEvent } from '../../core/events.ts';
import { idsAt, type ObjectAnswer } from '../../core/objects/answers.ts';
import type { Flow, FlowConsumer, Outcome } from '../../core/plan.ts';
import { FlowOver } from '../answer/flow-over.ts';
import type { CallerObjects } from './caller-objects.ts';
import { unreadMark } from './stored-files.ts';

type Answered = Outcome & { readonly kind: 'answered' };

/** Stores the owner of the objects in a response: at once if it is complete, otherwise event by event, before each is sent. */
export function bound(outcome: Answered, answer: ObjectAnswer, caller: CallerObjects): Outcome {
  const { reply } = outcome;
  if (reply.flow !== undefined) {
    const { events } = answer;
    return events === undefined ? outcome : { ...outcome, reply: { ...reply, flow: new BindingFlow(reply.flow, events, caller) } };
  }
  const parsed = parsedJson((reply.converted?.body ?? reply.body).toString('utf8'));
  const ids = idsAt(parsed, answer.ids);
  caller.bind(outcome.attempt.storesUnread === true ? [...ids, ...ids.map(unreadMark)] : ids, answer.isBrief === true);
  return outcome;
}

/** Types of events that contain ids. All other events, which are most of a stream, are not parsed. */
const withIds = /"type"\s*:\s*"(?:response\.(?:created|queued|in_progress|completed|output_item\.\w+)|message_start|message_delta)"/;

class BindingFlow extends FlowOver {
  readonly #paths: readonly string[];
  readonly #caller: CallerObjects;

  constructor(flow: Flow, paths: readonly string[], caller: CallerObjects) {
    super(flow);
    this.#paths = paths;
    this.#caller = caller;
  }

  into(consumer: FlowConsumer): void {
    this.below.into({
      data: (bytes, events) => {
        this.#bind(events);
        consumer.data(bytes, events);
      },
      end: (tail, events) => {
        this.#bind(events);
        consumer.end(tail, events);
      },
      fault: (error, finalBytes) => consumer.fault(error, finalBytes),
    });
  }

  #bind(events: readonly WireEvent[]): void {
    for (const { data } of events) {
      if (withIds.test(data)) this.#caller.bind(idsAt(parsedJson(data), this.#paths), true);
    }
  }
}

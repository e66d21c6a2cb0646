import { tryParseJson } from '../../core/json/scan.ts';
import type { WireEvent } from '../../core/events.ts';
import { idsAt, type ObjectIdPaths } from '../../core/objects/id-paths.ts';
import type { Answered, Flow, FlowConsumer, Outcome } from '../../core/plan.ts';
import { FlowWrapper } from '../response/flow-wrapper.ts';
import type { CallerObjects } from './caller-objects.ts';
import { unreadMark } from './stored-files.ts';

/** Stores the owner of the objects in a response: at once if it is complete, otherwise event by event, before each is sent. */
export function withOwners(outcome: Answered, answer: ObjectIdPaths, caller: CallerObjects): Outcome {
  const { reply } = outcome;
  if (reply.flow !== undefined) {
    const { events } = answer;
    return events === undefined ? outcome : { ...outcome, reply: { ...reply, flow: new BindingFlow(reply.flow, events, caller) } };
  }
  const parsed = tryParseJson((reply.converted?.body ?? reply.body).toString('utf8'));
  const ids = idsAt(parsed, answer.ids);
  caller.bind(outcome.attempt.storesUnread === true ? [...ids, ...ids.map(unreadMark)] : ids, answer.isBrief === true);
  return outcome;
}

/** Types of events that contain ids. All other events, which are most of a stream, are not parsed. */
const eventTypesWithIds =
  /"type"\s*:\s*"(?:response\.(?:created|queued|in_progress|completed|output_item\.\w+)|message_start|message_delta)"/;

class BindingFlow extends FlowWrapper {
  readonly #paths: readonly string[];
  readonly #caller: CallerObjects;

  constructor(flow: Flow, paths: readonly string[], caller: CallerObjects) {
    super(flow);
    this.#paths = paths;
    this.#caller = caller;
  }

  into(consumer: FlowConsumer): void {
    this.inner.into({
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
      if (eventTypesWithIds.test(data)) this.#caller.bind(idsAt(tryParseJson(data), this.#paths), true);
    }
  }
}

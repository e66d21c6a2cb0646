import type { WireEvent } from '../../core/events.ts';
import type { Flow, FlowConsumer } from '../../core/plan.ts';
import type { Translation } from '../../core/provider.ts';
import { FlowWrapper } from './flow-wrapper.ts';

type RepairEvent = NonNullable<Translation['repairEvent']>;

/** A stream that is forwarded, with some of its events rewritten. */
export class RepairedFlow extends FlowWrapper {
  readonly #repair: RepairEvent;

  constructor(flow: Flow, repair: RepairEvent) {
    super(flow);
    this.#repair = repair;
  }

  into(consumer: FlowConsumer): void {
    this.inner.into({
      data: (bytes, events) => consumer.data(this.#repaired(bytes, events), events),
      end: (tail, events) => consumer.end(this.#repaired(tail, events), events),
      fault: (error, finalBytes) => consumer.fault(error, finalBytes),
    });
  }

  /** The same bytes if no event changes. */
  #repaired(bytes: Buffer, events: readonly WireEvent[]): Buffer {
    const repaired = events.map(({ data }) => this.#repair(data));
    if (repaired.every((data) => data === undefined)) return bytes;
    return Buffer.from(events.map(({ name, data }, at) => eventText(name, repaired[at] ?? data)).join(''), 'utf8');
  }
}

function eventText(name: string, data: string): string {
  const head = name === '' ? '' : `event: ${name}\n`;
  return `${head}data: ${data.replaceAll('\n', '\ndata: ')}\n\n`;
}

import type { JsonObject } from '../../../core/json/merge.ts';

/** An event of the API, without its number. */
export type ApiEvent = JsonObject & { readonly type: string };

export const noEvents: readonly ApiEvent[] = Object.freeze([]);

/** Where an item stands in the response. */
export interface Place {
  readonly item_id: string;
  readonly output_index: number;
}

/** An item of the output that is being written. */
export interface OutputItem {
  /** The item as it is known so far; whole once it is closed. */
  readonly item: JsonObject;
  /** Returns its last events; none if it is closed already. */
  close(status: EndStatus): readonly ApiEvent[];
}

/** `incomplete`: the model was stopped while it wrote the item. */
export type EndStatus = 'completed' | 'incomplete';

export const itemAdded = ({ output_index }: Place, item: JsonObject): ApiEvent => ({
  type: 'response.output_item.added',
  output_index,
  item,
});
export const itemDone = ({ output_index }: Place, item: JsonObject): ApiEvent => ({
  type: 'response.output_item.done',
  output_index,
  item,
});

/** An item without a stream of its own: it is sent whole. */
export class WholeItem implements OutputItem {
  readonly item: JsonObject;

  constructor(item: JsonObject) {
    this.item = item;
  }

  close(): readonly ApiEvent[] {
    return noEvents;
  }
}

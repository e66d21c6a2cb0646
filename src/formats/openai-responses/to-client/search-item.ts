import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { stringOf } from '../../shared/json.ts';
import { type ApiEvent, type EndStatus, itemAdded, itemDone, noEvents, type OutputItem, type Place } from './items.ts';

/** A web search that ran at the service. Its results are in the sources of the text. */
export class SearchItem implements OutputItem {
  #status: 'in_progress' | EndStatus = 'in_progress';
  readonly #at: Place;
  #query = '';

  constructor(at: Place) {
    this.#at = at;
  }

  get isClosed(): boolean {
    return this.#status !== 'in_progress';
  }

  get item(): JsonObject {
    const action = { type: 'search', query: this.#query };
    return { id: this.#at.item_id, type: 'web_search_call', status: this.#status, action };
  }

  begin(): readonly ApiEvent[] {
    return [itemAdded(this.#at, this.item), { type: 'response.web_search_call.searching', ...this.#at }];
  }

  /** Reads the query, which may come after the start of the block. */
  read({ input }: JsonObject): void {
    if (isJsonObject(input)) this.#query = stringOf(input['query']) || this.#query;
  }

  close(status: EndStatus): readonly ApiEvent[] {
    if (this.isClosed) return noEvents;
    this.#status = status;
    return [{ type: 'response.web_search_call.completed', ...this.#at }, itemDone(this.#at, this.item)];
  }
}

/** True for the start of a search in the form of the messages API. */
export const isSearch = ({ type, name }: JsonObject): boolean => type === 'server_tool_use' && name === 'web_search';

/** The results of a search are in the sources of the text. */
export const isSearchResult = ({ type }: JsonObject): boolean => type === 'web_search_tool_result';

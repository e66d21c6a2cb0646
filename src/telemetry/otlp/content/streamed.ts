import { isJsonObject } from '../../../core/json/merge.ts';
import { callOf, isCallItem, itemCallOf, type MessagePart, textIn, textParts } from './parts.ts';

/** A tool call whose arguments arrive in pieces. */
interface PartialCall {
  id: unknown;
  name: unknown;
  arguments: string;
}

interface StreamedChoice {
  text: string;
  readonly calls: Map<unknown, PartialCall>;
  /** Calls that arrived complete. */
  readonly items: MessagePart[];
}

/** Collects the output of a stream from its events, in the format of any of the APIs. */
export class StreamedOutput {
  readonly #choices = new Map<unknown, StreamedChoice>();

  add(event: Readonly<Record<string, unknown>> | undefined): void {
    if (event === undefined) return;
    const { choices } = event;
    if (Array.isArray(choices)) for (const choice of choices as readonly unknown[]) this.#chunk(choice);
    else this.#event(event);
  }

  /** Returns the parts of each choice. */
  choices(): readonly (readonly MessagePart[])[] {
    return [...this.#choices]
      .toSorted(([one], [other]) => Number(one) - Number(other))
      .map(([, { text, calls, items }]) => [
        ...textParts(text),
        ...[...calls.values()].map((call) => callOf(call.id, { ...call })),
        ...items,
      ])
      .filter((parts) => parts.length > 0);
  }

  /** Adds a chunk of chat completions, or of the older text completions. */
  #chunk(choice: unknown): void {
    if (!isJsonObject(choice)) return;
    const { delta, index } = choice;
    const choiceState = this.#choice(index ?? 0);
    choiceState.text += textIn(choice['text']);
    if (!isJsonObject(delta)) return;
    choiceState.text += textIn(delta['content']) + textIn(delta['refusal']);
    const calls = delta['tool_calls'];
    if (!Array.isArray(calls)) return;
    for (const call of calls as readonly unknown[]) {
      if (!isJsonObject(call)) continue;
      const called = isJsonObject(call['function']) ? call['function'] : {};
      addCall(choiceState, call['index'], { id: call['id'], name: called['name'], arguments: textIn(called['arguments']) });
    }
  }

  /** Adds an event of the messages API, or of the responses API. */
  #event({ type, index, delta, item, content_block: block }: Readonly<Record<string, unknown>>): void {
    const own = this.#choice(0);
    if (type === 'content_block_start' && isJsonObject(block)) {
      own.text += textIn(block['text']);
      if (block['type'] === 'tool_use') addCall(own, index, { id: block['id'], name: block['name'], arguments: '' });
    } else if (type === 'content_block_delta' && isJsonObject(delta)) {
      own.text += textIn(delta['text']);
      if (delta['type'] === 'input_json_delta')
        addCall(own, index, { id: undefined, name: undefined, arguments: textIn(delta['partial_json']) });
    } else if (type === 'response.output_text.delta' || type === 'response.refusal.delta') own.text += textIn(delta);
    else if (type === 'response.output_item.done' && isJsonObject(item) && isCallItem(item)) own.items.push(itemCallOf(item));
  }

  #choice(index: unknown): StreamedChoice {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    const made = { text: '', calls: new Map<unknown, PartialCall>(), items: [] };
    this.#choices.set(index, made);
    return made;
  }
}

function addCall({ calls }: StreamedChoice, key: unknown, piece: PartialCall): void {
  const call = calls.get(key);
  if (call === undefined) {
    calls.set(key, piece);
    return;
  }
  call.id ??= piece.id;
  call.name ??= piece.name;
  call.arguments += piece.arguments;
}

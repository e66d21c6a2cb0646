import { faultError, type GatewayError } from '../../../core/error.ts';
import type { ModelEvent, WireEvent } from '../../../core/events.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { StreamTransform } from '../../../core/stream.ts';
import { faultInBand, isFlatError, objectIn } from '../fault.ts';
import { indexFrom, isBlank, objectsIn, textOf, isSet } from '../../shared/json.ts';
import { RetainedSize } from '../../shared/response/retained-size.ts';
import { choiceExtras, finishEvent, topExtras, usageIn } from './completion.ts';
import { deltaEvents, lastDetails, namelessCalls, newAnswer, type StreamedAnswer } from './delta.ts';
import { sourcesBeside } from './sources.ts';
import { streamInterrupted, unreadableEvent } from '../../shared/response/stream-errors.ts';

const noEvents: readonly ModelEvent[] = Object.freeze([]);

/**
 * Converts a stream of chat completion chunks, including the gateway's extensions, to events of the hub. Used for clients of
 * other formats; for clients of this format the bytes are passed through.
 */
export class ChatReader implements StreamTransform<WireEvent, ModelEvent> {
  readonly #answers = new Map<number, StreamedAnswer>();
  readonly #retained = new RetainedSize();
  /** Sources beside the choices. A service repeats the whole list in each chunk. */
  #beside: readonly JsonObject[] = [];
  #hasStarted = false;
  #isDone = false;
  #isOver = false;

  push(event: WireEvent): readonly ModelEvent[] {
    if (this.#isOver) return noEvents;
    if (event.data.length < 12 && event.data.trim() === '[DONE]') {
      this.#isDone = true;
      return noEvents;
    }
    if (isBlank(event.data)) return noEvents;
    const chunk = objectIn(event.data) ?? (event.name === 'error' ? {} : undefined);
    if (chunk === undefined) return this.fail(unreadableEvent());
    const groq = isJsonObject(chunk['x_groq']) ? chunk['x_groq']['error'] : undefined;
    if (isSet(chunk['error']) || isSet(groq) || event.name === 'error' || isFlatError(chunk))
      return this.#error(isSet(groq) ? { error: groq } : chunk, event.data);
    return this.#chunk(chunk);
  }

  /** Writes the finish events only here, because a service may continue after a finish reason, or send only the end mark. */
  end(): readonly ModelEvent[] {
    if (this.#isOver) return noEvents;
    const answers = [...this.#answers.values()];
    const open = answers.some(({ finish }) => finish === undefined);
    if (!this.#isDone && (open || answers.length === 0)) return this.fail(streamInterrupted());
    this.#isOver = true;
    return answers.flatMap((answer): readonly ModelEvent[] => [
      ...namelessCalls(answer),
      ...this.#sources(answer),
      ...lastDetails(answer),
      finishEvent(answer.finish ?? {}, answer.index, answer.count),
    ]);
  }

  fail(error: GatewayError): readonly ModelEvent[] {
    if (this.#isOver) return noEvents;
    this.#isOver = true;
    return [{ type: 'error', error }];
  }

  #chunk(chunk: JsonObject): readonly ModelEvent[] {
    const choices = objectsIn(chunk['choices']);
    const out: ModelEvent[] = [];
    // A service in front of the model may first send a chunk of its own, without id and model.
    if (!this.#hasStarted && choices.length > 0) {
      this.#hasStarted = true;
      const { id, model, created } = chunk;
      out.push({ type: 'start', id: textOf(id) ?? '', model: textOf(model) ?? '', created: typeof created === 'number' ? created : 0 });
    }
    for (const [at, choice] of choices.entries()) this.#choice(choice, at, out);
    const beside = sourcesBeside(chunk);
    if (beside.length > 0) this.#beside = beside;
    out.push(...topExtras(chunk));
    const usage = usageIn(chunk);
    if (usage !== undefined) out.push({ type: 'usage', usage });
    return out;
  }

  #choice(choice: JsonObject, at: number, out: ModelEvent[]): void {
    const index = indexFrom(choice['index']) ?? at;
    const answer = this.#answers.get(index) ?? this.#newAnswer(index);
    const delta = choice['delta'] ?? choice['message'];
    // The log probabilities of a text come before it.
    out.push(...choiceExtras(choice, index));
    if (isJsonObject(delta)) deltaEvents(delta, answer, out);
    if (textOf(choice['finish_reason']) !== undefined) answer.finish = choice;
  }

  #sources({ index, sources }: StreamedAnswer): readonly ModelEvent[] {
    const annotations = sources.length === 0 ? this.#beside : sources;
    return annotations.length === 0 ? noEvents : [{ type: 'annotations', choice: index, annotations }];
  }

  #newAnswer(index: number): StreamedAnswer {
    this.#retained.add();
    const answer = newAnswer(index, this.#retained);
    this.#answers.set(index, answer);
    return answer;
  }

  #error(object: JsonObject, raw: string): readonly ModelEvent[] {
    return this.fail(faultError(faultInBand(object, raw)));
  }
}

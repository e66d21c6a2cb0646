import type { Dialect, DialectCall, DialectWriter } from '../../core/dialect.ts';
import { GatewayError } from '../../core/error.ts';
import type { ModelEvent } from '../../core/events.ts';
import { isJsonObject } from '../../core/json/merge.ts';
import { openaiUsage, tierField } from '../../core/model/openai-usage.ts';
import type { Usage } from '../../core/model/usage.ts';
import { type ChoiceState, deltaText, newChoice } from './delta.ts';
import { legacyFinish, withFunctionCalls } from './legacy-calls.ts';
import { isOpenaiError, openaiErrorBody, openaiErrorEvent } from './error-body.ts';
import { chatChunks, textChunks } from './whole-as-chunks.ts';
import { imageEvents, responseEvents } from '../shared/response/whole-as-events.ts';
import { streamInterrupted } from '../shared/response/stream-errors.ts';

/** The OpenAI APIs. The responses of all other providers are converted to this format. */
export const openaiDialect = Object.freeze<Dialect>({
  isError: isOpenaiError,
  errorBody: openaiErrorBody,
  errorEvent: openaiErrorEvent,
  answer: (result: unknown, call: DialectCall) =>
    JSON.stringify(
      isJsonObject(result) ? { ...(call.asksForFunctions === true ? withFunctionCalls(result) : result), provider: call.provider } : result,
    ),
  streamed: {
    'chat/completions': chatChunks,
    completions: textChunks,
    responses: responseEvents,
    'images/generations': imageEvents('image_generation'),
    'images/edits': imageEvents('image_edit'),
  },
  write: (call: DialectCall) => new ChatWriter(call),
});

const noLines: readonly string[] = Object.freeze([]);
const noFields: Readonly<Record<string, unknown>> = Object.freeze({});

/** Maximum number of fields that wait for a chunk. */
const maxWaiting = 32;

/** OpenAI's finish reasons. Clients branch on them, so no other value is ever written. */
const finishReasons: ReadonlySet<string> = new Set(['stop', 'length', 'tool_calls', 'content_filter', 'function_call']);

/**
 * Writes `chat.completion.chunk` events. The members that all chunks share are serialized once; of a delta, only its own text is
 * serialized.
 */
class ChatWriter implements DialectWriter {
  failure: GatewayError | undefined;
  readonly #call: DialectCall;
  readonly #choices = new Map<number, ChoiceState>();
  /** Choices with fields for their next chunk. */
  readonly #waiting = new Set<ChoiceState>();
  /** `data: {` and the members that every chunk has; '' before the first chunk. */
  #head = '';
  /** Fields to add to the next chunk. */
  #fields: Record<string, unknown> | undefined;
  #usage: Usage | undefined;

  constructor(call: DialectCall) {
    this.#call = call;
  }

  push(event: ModelEvent): readonly string[] {
    if (this.failure !== undefined) return noLines;
    switch (event.type) {
      case 'start':
        return this.#start(event);
      case 'extra':
        return this.#extra(event);
      case 'usage':
        this.#usage = event.usage;
        return noLines;
      case 'finish':
        return this.#finish(event);
      case 'error':
        return this.fail(event.error);
      case 'note':
        return noLines;
      default: {
        const choice = this.#choice(event.choice);
        const delta = deltaText(event, choice, this.#call);
        return delta === '' ? noLines : [this.#chunk(choice, delta, null)];
      }
    }
  }

  end(): readonly string[] {
    if (this.failure !== undefined) return noLines;
    const left = this.#flush();
    if (this.#choices.size === 0 || this.#choices.values().some((choice) => !choice.isFinished)) {
      return [...left, ...this.fail(streamInterrupted())];
    }
    if (this.#call.includeUsage && this.#usage !== undefined) {
      const counts = { ...tierField(this.#usage), usage: openaiUsage(this.#usage) };
      left.push(`${this.#prefix()},"choices":[]${joined(counts)}}\n\n`);
    }
    left.push('data: [DONE]\n\n');
    return left;
  }

  /** Writes no finish reason and no end mark, so that the stream does not look complete. Client libraries raise on the error. */
  fail(error: GatewayError): readonly string[] {
    if (this.failure !== undefined) return noLines;
    this.failure = error;
    return [openaiErrorEvent(error, { requestId: this.#call.id }).toString('utf8')];
  }

  #start({ id, model, created, fields }: Extract<ModelEvent, { type: 'start' }>): readonly string[] {
    if (this.#head !== '') return noLines;
    this.#open(id, model, created, fields ?? noFields);
    return [this.#chunk(this.#choice(0), '"content":""', null)];
  }

  #finish(event: Extract<ModelEvent, { type: 'finish' }>): readonly string[] {
    const choice = this.#choice(event.choice);
    if (choice.isFinished) return noLines;
    choice.isFinished = true;
    const known = finishReasons.has(event.reason) ? event.reason : 'stop';
    const reason = this.#call.asksForFunctions === true ? legacyFinish(known) : known;
    if (!this.#call.strict && event.raw !== undefined) this.#merge(choice, { native_finish_reason: event.raw });
    return [this.#chunk(choice, '', reason)];
  }

  /**
   * Holds fields for the next chunk they belong to. If a waiting field has the same name, or very many are waiting, the waiting
   * fields are written in a chunk of their own first.
   */
  #extra(event: Extract<ModelEvent, { type: 'extra' }>): readonly string[] {
    if (this.#call.strict && !event.strict) return noLines;
    const choice = event.choice === undefined ? undefined : this.#choice(event.choice);
    const waiting = choice === undefined ? this.#fields : choice.fields;
    const isFull = waiting !== undefined && Object.keys(waiting).length >= maxWaiting;
    const clash = waiting !== undefined && Object.keys(event.fields).some((key) => Object.hasOwn(waiting, key));
    const written = isFull || clash ? this.#flush() : noLines;
    if (choice === undefined) this.#fields = { ...this.#fields, ...event.fields };
    else this.#merge(choice, event.fields);
    return written;
  }

  #merge(choice: ChoiceState, fields: Readonly<Record<string, unknown>>): void {
    choice.fields = { ...choice.fields, ...fields };
    this.#waiting.add(choice);
  }

  /** Writes chunks for the waiting fields. */
  #flush(): string[] {
    const out: string[] = [];
    for (const choice of this.#waiting) out.push(this.#chunk(choice, '', null));
    if (this.#fields !== undefined) out.push(`${this.#prefix()},"choices":[]}\n\n`);
    return out;
  }

  #choice(index: number): ChoiceState {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    const choice = newChoice(index);
    this.#choices.set(index, choice);
    return choice;
  }

  #chunk(choice: ChoiceState, delta: string, finish: string | null): string {
    const role = choice.hasRole ? '' : `"role":"assistant"${delta === '' ? '' : ','}`;
    choice.hasRole = true;
    const fields = choice.fields === undefined ? '' : this.#taken(choice, choice.fields);
    const reason = finish === null ? 'null' : `"${finish}"`;
    return `${this.#prefix()},"choices":[{"index":${choice.index},"delta":{${role}${delta}}${fields},"finish_reason":${reason}}]}\n\n`;
  }

  /** Takes the waiting fields of a choice for the chunk that is being written. */
  #taken(choice: ChoiceState, fields: Record<string, unknown>): string {
    choice.fields = undefined;
    this.#waiting.delete(choice);
    return joined(fields);
  }

  #prefix(): string {
    if (this.#head === '') this.#open('', '', 0, noFields);
    if (this.#fields === undefined) return this.#head;
    const fields = joined(this.#fields);
    this.#fields = undefined;
    return this.#head + fields;
  }

  /** If the provider's format has no id or time, those of the request are used. */
  #open(id: string, model: string, created: number, fields: Readonly<Record<string, unknown>>): void {
    const shell = {
      id: id === '' ? `chatcmpl-${this.#call.id}` : id,
      object: 'chat.completion.chunk',
      created: created === 0 ? this.#call.createdAt : created,
      model: model === '' ? this.#call.model : model,
      provider: this.#call.provider,
    };
    this.#head = `data: ${JSON.stringify({ ...shell, ...fields }).slice(0, -1)}`;
  }
}

function joined(fields: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(fields);
  return text === '{}' ? '' : `,${text.slice(1, -1)}`;
}

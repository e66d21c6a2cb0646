import type { WireEvent } from '../../core/events.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import type { Usage } from '../../core/model/usage.ts';
import type { EventKind, Tap } from '../../core/tap.ts';
import { parseObject, textOf } from '../shared/json.ts';
import { readUsage, sumOfUsages } from '../shared/usage.ts';

const sessionCreated = /^(?:transcription_)?session\.created$/;
const responseDone = 'response.done';
const transcriptionCompleted = 'conversation.item.input_audio_transcription.completed';

const usageEvents =
  /"type"\s*:\s*"(?:(?:transcription_)?session\.created|response\.done|conversation\.item\.input_audio_transcription\.completed)"/;

/**
 * Usage of a realtime session (OpenAI, API reference: Realtime, server events): the sum of the usage at the end of each response.
 * In a transcription session, transcripts are the responses. In other sessions another model creates them, at its own price: they
 * are counted, and the cost of the session is then unknown.
 */
export class RealtimeTap implements Tap {
  readonly complete = true;
  readonly id = undefined;
  readonly fault = undefined;
  readonly finish: readonly string[] = [];
  readonly contentEvents = 0;
  model: string | undefined;
  #sum: Usage | undefined;
  #transcripts = 0;
  #onlyTranscribes = false;
  /** The end of a response could not be parsed, so the sum would not be the usage of the session. */
  #isIncomplete = false;

  reads(beginning: string): boolean {
    return usageEvents.test(beginning);
  }

  event({ data }: WireEvent): EventKind {
    const event = parseObject(data);
    const type = textOf(event?.['type']) ?? '';
    if (event === undefined) this.#isIncomplete = true;
    else if (sessionCreated.test(type)) this.#readSession(event['session']);
    else if (type === responseDone) this.#readResponse(event['response']);
    else if (type === transcriptionCompleted && this.#onlyTranscribes) this.#addUsage(event['usage']);
    else if (type === transcriptionCompleted) this.#transcripts += 1;
    return 'meta';
  }

  whole(): undefined {
    return undefined;
  }

  get usage(): Usage | undefined {
    if (this.#isIncomplete || (this.#sum === undefined && this.#transcripts === 0)) return undefined;
    const sum = this.#sum ?? { prompt: 0, completion: 0 };
    return this.#transcripts === 0 ? sum : { ...sum, details: { ...sum.details, transcripts: this.#transcripts } };
  }

  #readSession(session: unknown): void {
    if (!isJsonObject(session)) return;
    const transcription = transcriptionOf(session);
    this.#onlyTranscribes = session['type'] === 'transcription' || session['object'] === 'realtime.transcription_session';
    this.model = textOf(this.#onlyTranscribes ? transcription?.['model'] : session['model']) ?? this.model;
  }

  /** A failed or cancelled response may have used nothing, and then has no usage. */
  #readResponse(response: unknown): void {
    const { usage, status } = isJsonObject(response) ? response : ({} as JsonObject);
    if ((usage !== undefined && usage !== null) || status === 'completed') this.#addUsage(usage);
  }

  #addUsage(value: unknown): void {
    const usage = readUsage(value);
    if (usage === undefined) this.#isIncomplete = true;
    else this.#sum = this.#sum === undefined ? usage : sumOfUsages(this.#sum, usage);
  }
}

/** Finds the transcription settings in both versions of the session object. */
function transcriptionOf(session: JsonObject): JsonObject | undefined {
  const audio = isJsonObject(session['audio']) ? session['audio'] : undefined;
  const input = isJsonObject(audio?.['input']) ? audio['input'] : undefined;
  const transcription = input?.['transcription'] ?? session['input_audio_transcription'];
  return isJsonObject(transcription) ? transcription : undefined;
}

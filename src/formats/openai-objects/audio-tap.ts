import type { ProviderFault } from '../../core/error.ts';
import type { WireEvent } from '../../core/events.ts';
import type { EventKind, Tap } from '../../core/tap.ts';
import type { Usage } from '../../core/model/usage.ts';
import { ChatTap } from '../openai-chat/tap.ts';
import { eventTypeOf } from '../shared/response/event-type.ts';
import { topLevelMembers } from '../shared/response/json-tap.ts';
import { isBareError, objectAt, parseObject, offsetOfValue } from '../shared/json.ts';
import { faultInBand } from '../openai-chat/fault.ts';
import { readUsage } from '../shared/usage.ts';

const readMembers: ReadonlySet<string> = new Set(['usage', 'error', 'duration']);

/**
 * Tap for speech and transcriptions: audio, plain text, subtitles, JSON, or a stream of events (`speech.audio.*`,
 * `transcript.text.*`), which ends with a `done` event that contains the usage. vLLM streams transcriptions in chunks of the chat
 * format instead (its source, `TranscriptionStreamResponse`).
 */
export class AudioTap implements Tap {
  readonly form: 'json' | 'bytes';
  complete = false;
  readonly id = undefined;
  model: string | undefined;
  fault: ProviderFault | undefined;
  readonly finish: readonly string[] = [];
  /** No usage is estimated: the audio of the request or of the response is unknown. */
  readonly contentEvents = 0;
  #hasContent = false;
  #usage: Usage | undefined;
  #chunks: ChatTap | undefined;

  /** @param form `json` if the client requested JSON: the response is then parsed, and one that is not JSON is a fault */
  constructor(form: 'json' | 'bytes') {
    this.form = form;
  }

  get usage(): Usage | undefined {
    return this.#chunks?.usage ?? this.#usage;
  }

  event(event: WireEvent): EventKind {
    const type = eventTypeOf(event);
    if (type === 'error' || isBareError(event.data)) {
      this.fault ??= faultInBand(parseObject(event.data), event.data);
      return 'fault';
    }
    if (type.endsWith('.done') || event.data.trim() === '[DONE]') return this.#done(event.data);
    if (type === '') return this.#chunk(event);
    this.#hasContent = true;
    return 'content';
  }

  /** The end comes with `[DONE]`: the service splits long audio into parts, and each part has a finish reason. */
  #chunk(event: WireEvent): EventKind {
    this.#chunks ??= new ChatTap();
    const kind = this.#chunks.event(event);
    this.model ??= this.#chunks.model;
    this.fault ??= this.#chunks.fault;
    if (kind === 'content') this.#hasContent = true;
    return kind;
  }

  whole(text: string): ProviderFault | undefined {
    this.complete = true;
    const found = topLevelMembers(text, readMembers);
    if (found === undefined) return undefined;
    this.#usage = readUsage(found['usage']) ?? usageOfDuration(found['duration']);
    if (found['error'] !== undefined && found['error'] !== null) this.fault = faultInBand(found, '');
    return this.fault;
  }

  #done(data: string): EventKind {
    const at = offsetOfValue(data, 'usage');
    if (at >= 0) this.#usage = readUsage(objectAt(data, at));
    this.complete = true;
    if (this.#hasContent) return 'end';
    // No content came before: this event contains the whole text.
    this.#hasContent = true;
    return 'content';
  }
}

/** Usage from the length of the audio, which the verbose form contains, at some services as a string. */
function usageOfDuration(duration: unknown): Usage | undefined {
  const seconds = typeof duration === 'string' ? Number(duration) : duration;
  return readUsage({ type: 'duration', seconds });
}

/** Formats of a transcription that are JSON; `text`, `srt` and `vtt` are not. */
const jsonFormats: ReadonlySet<string> = new Set(['json', 'verbose_json', 'diarized_json']);

/** Returns the requested format as far as the form has been read. Nothing is assumed about fields that have not arrived yet. */
export function transcriptForm(
  form: { readonly fields: ReadonlyMap<string, string>; readonly isBuffered: boolean } | undefined,
): 'json' | 'bytes' {
  const requestedFormat = form?.fields.get('response_format') ?? (form?.isBuffered === true ? 'json' : undefined);
  return requestedFormat !== undefined && jsonFormats.has(requestedFormat) ? 'json' : 'bytes';
}

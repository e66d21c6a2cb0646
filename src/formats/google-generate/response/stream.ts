import { faultError, GatewayError } from '../../../core/error.ts';
import type { ModelEvent, WireEvent } from '../../../core/events.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { Call } from '../../../core/provider.ts';
import type { StreamTransform } from '../../../core/stream.ts';
import { signed } from '../../history/signatures.ts';
import { isBlank, objectAt, textOf, offsetOfValue } from '../../shared/json.ts';
import { EventTemplate } from '../../shared/response/event-template.ts';
import { RetainedSize } from '../../shared/response/retained-size.ts';
import { TextParts } from './annotations.ts';
import { AudioDeltas, type AudioFormat, audioOf, isAudio } from './audio.ts';
import { CallIds } from './call-ids.ts';
import { candidateExtras, growingExtras, laterExtras, logprobsOf } from './extras.ts';
import { errorIn, streamError } from '../fault.ts';
import { finishFault, finishReason, nativeFinishReason } from './finish.ts';
import { hasUnflaggedReasoning } from '../model.ts';
import { parsedAnswer } from './parse.ts';
import {
  blockFor,
  type BlockPosition,
  candidateIndex,
  hasContent,
  hasOwnBlock,
  type ResponsePiece,
  piecesOf,
  secondText,
} from './pieces.ts';
import { geminiUsage, laterUsage } from './usage.ts';
import { streamInterrupted, unreadableEvent } from '../../shared/response/stream-errors.ts';

/** The parts of a call that the conversion of a response depends on. */
export type GenerateCall = Pick<Call, 'model' | 'strict' | 'showsReasoning' | 'id' | 'createdAt'> & {
  readonly audioFormat?: AudioFormat | undefined;
};

/** Separates reasoning from the response for models that do not flag reasoning. */
const thoughtSeparator = '\r\n\r\n';

/** Maximum number of characters of fields that are sent again with additions. */
const maxResent = 64 * 1024 * 1024;

/** One candidate of the stream as received so far. */
interface Candidate extends BlockPosition {
  readonly index: number;
  calls: number;
  /** Fields besides the content that may grow; undefined for strict clients, which do not get them. */
  extras: JsonObject | undefined;
  /** Undefined if there has been no audio. */
  audio: AudioDeltas | undefined;
  /** The audio pieces of a whole response. */
  readonly audioPieces: { readonly mimeType: string; readonly base64: string }[];
  /** Undefined if no annotations are written. */
  readonly texts: TextParts | undefined;
  /** Undefined again if more content follows: some models send a reason after a step and continue. */
  finish: string | undefined;
  /** The service's message about its finish reason. */
  finishMessage: unknown;
  /** For two-part models under strict compliance: text that may still turn out to be reasoning. Undefined once that is decided. */
  buffered: string | undefined;
}

/** Context of the events that match the learned one: their candidate, the kind of their text, and the finish reason in each of them. */
interface LearnedEvent {
  readonly candidate: Candidate;
  readonly kind: 'text' | 'thinking';
  readonly finish: string | undefined;
}

/**
 * Members of a response, of which at least one must be present. One without candidates may contain the token counts, or the
 * reason why the prompt was blocked.
 */
const answerKeys = ['candidates', 'promptFeedback', 'usageMetadata', 'modelVersion', 'responseId'];

/**
 * Converts a stream of `streamGenerateContent` to hub events. Every event is a whole response object whose parts are deltas.
 * There is no end mark, and some models send the finish reason in each event, so it is written at the end.
 */
export class GenerateContentStream implements StreamTransform<WireEvent, ModelEvent> {
  readonly #call: GenerateCall;
  readonly #ids: CallIds;
  readonly #hasUnflaggedReasoning: boolean;
  readonly #candidates = new Map<number, Candidate>();
  readonly #retained = new RetainedSize();
  readonly #resent = new RetainedSize(maxResent);
  #usage: JsonObject | undefined;
  readonly #template = new EventTemplate('text', 'usageMetadata');
  #learned: LearnedEvent | undefined;
  /** The last event that matched. Its token counts are parsed on demand. */
  #lastMatch: string | undefined;
  /** Block reason of the prompt. */
  #blocked: string | undefined;
  #isStarted = false;
  #isOver = false;
  #isWhole = false;

  constructor(call: GenerateCall) {
    this.#call = call;
    this.#ids = new CallIds(call.id);
    this.#hasUnflaggedReasoning = hasUnflaggedReasoning(call.model);
  }

  push(event: WireEvent): readonly ModelEvent[] {
    const { data } = event;
    if (this.#isOver || isBlank(data)) return [];
    const text = this.#template.textIn(data);
    if (text !== undefined && this.#learned !== undefined) return this.#matchedEvent(data, text, this.#learned);
    const answer = parsedAnswer(data);
    const error = errorIn(answer);
    if (error !== undefined) return this.fail(streamError(error));
    if (!isJsonObject(answer)) return data.trim() === '[DONE]' ? [] : this.fail(unreadableEvent());
    const out = this.#answer(answer);
    this.#learn(answer, data);
    return out;
  }

  #matchedEvent(data: string, text: string, { candidate, kind, finish }: LearnedEvent): readonly ModelEvent[] {
    const out: ModelEvent[] = [];
    this.#lastMatch = data;
    this.#pieces([{ kind, text, signature: undefined }], candidate, out);
    candidate.finish = finish ?? (text === '' ? candidate.finish : undefined);
    return out;
  }

  /** Learns an event whose only new content is a piece of text or reasoning, so that similar events need no parsing. */
  #learn(answer: JsonObject, data: string): void {
    const candidates: unknown = answer['candidates'];
    if (!Array.isArray(candidates) || candidates.length !== 1 || answer['promptFeedback'] !== undefined) return;
    const raw: unknown = candidates[0];
    if (!isJsonObject(raw) || candidateExtras(raw) !== undefined || logprobsOf(raw) !== undefined) return;
    const [piece, second] = piecesOf(raw);
    const candidate = this.#candidates.get(candidateIndex(raw, 0, candidates));
    if (candidate === undefined || second !== undefined) return;
    if ((piece?.kind !== 'text' && piece?.kind !== 'thinking') || piece.signature !== undefined) return;
    if (this.#template.learn(data, piece.text))
      this.#learned = { candidate, kind: piece.kind, finish: nativeFinishReason(raw['finishReason']) };
  }

  /** Parses the counts of the last matching event. They include those of the matching events before it. */
  #parseCounts(): void {
    const data = this.#lastMatch;
    if (data === undefined) return;
    this.#lastMatch = undefined;
    const at = offsetOfValue(data, 'usageMetadata');
    if (at >= 0) this.#usage = laterUsage(this.#usage, objectAt(data, at));
  }

  /**
   * Converts a whole response to the events of its stream, except that its audio is one piece. A response without a candidate
   * becomes one empty choice.
   *
   * @throws GatewayError `upstream_invalid`
   */
  whole(answer: unknown): readonly ModelEvent[] {
    if (!isJsonObject(answer)) {
      throw new GatewayError('upstream_invalid', { message: 'The response of the provider is not a JSON object.', source: 'provider' });
    }
    if (!answerKeys.some((key) => key in answer)) {
      const message = "The provider's response is not one of generateContent: it has no candidates.";
      throw new GatewayError('upstream_invalid', { message, source: 'provider' });
    }
    this.#isWhole = true;
    return [...this.#answer(answer), ...this.end()];
  }

  #answer(answer: JsonObject): readonly ModelEvent[] {
    const out: ModelEvent[] = [];
    if (!this.#isStarted) out.push(this.#start(answer));
    this.#parseCounts();
    this.#usage = laterUsage(this.#usage, answer['usageMetadata']);
    this.#feedback(answer['promptFeedback'], out);
    const candidates: unknown = answer['candidates'];
    if (!Array.isArray(candidates)) return out;
    for (const [at, raw] of (candidates as unknown[]).entries())
      if (isJsonObject(raw)) this.#candidate(raw, candidateIndex(raw, at, candidates), out);
    return out;
  }

  end(): readonly ModelEvent[] {
    if (this.#isOver) return [];
    this.#isOver = true;
    const out: ModelEvent[] = [];
    const candidates = [...this.#candidates.values()];
    const [only] = candidates;
    const fault = only === undefined || candidates.length > 1 ? undefined : finishFault(only.finish, only.finishMessage);
    if (fault !== undefined) return [...out, { type: 'error', error: faultError(fault) }];
    for (const candidate of candidates) this.#finish(candidate, out);
    if (candidates.length === 0 && this.#blocked !== undefined) {
      out.push({ type: 'finish', choice: 0, reason: 'content_filter', raw: this.#blocked });
    } else if (this.#isWhole && candidates.length === 0) {
      out.push({ type: 'finish', choice: 0, reason: 'stop' });
    } else if (!this.#isWhole && (candidates.length === 0 || candidates.some(({ finish }) => finish === undefined))) {
      return [...out, { type: 'error', error: streamInterrupted() }];
    }
    this.#parseCounts();
    const usage = geminiUsage(this.#usage);
    if (usage !== undefined) out.push({ type: 'usage', usage });
    return out;
  }

  fail(error: GatewayError): readonly ModelEvent[] {
    if (this.#isOver) return [];
    this.#isOver = true;
    const out: ModelEvent[] = [];
    for (const candidate of this.#candidates.values()) this.#release(candidate, out);
    out.push({ type: 'error', error });
    return out;
  }

  #start(answer: JsonObject): ModelEvent {
    this.#isStarted = true;
    const { id, model, createdAt } = this.#call;
    return {
      type: 'start',
      id: textOf(answer['responseId']) ?? `chatcmpl-${id}`,
      model: textOf(answer['modelVersion']) ?? model,
      created: createdAt,
    };
  }

  #feedback(feedback: unknown, out: ModelEvent[]): void {
    if (!isJsonObject(feedback)) return;
    this.#blocked ??= textOf(feedback['blockReason']);
    out.push({ type: 'extra', fields: { promptFeedback: feedback }, strict: false });
  }

  #candidate(raw: JsonObject, index: number, out: ModelEvent[]): void {
    const candidate = this.#candidateOf(index);
    const logprobs = logprobsOf(raw);
    if (logprobs !== undefined) out.push({ type: 'extra', choice: candidate.index, fields: { logprobs }, strict: true });
    this.#extras(raw, candidate, out);
    this.#pieces(piecesOf(raw), candidate, out);
    const native = nativeFinishReason(raw['finishReason']);
    if (native !== undefined || (candidate.finish !== undefined && hasContent(raw))) candidate.finish = native;
    candidate.finishMessage = raw['finishMessage'] ?? candidate.finishMessage;
  }

  /** Adds the parts of one event to a candidate. */
  #pieces(pieces: readonly ResponsePiece[], candidate: Candidate, out: ModelEvent[]): void {
    // Unflagged reasoning ends in the event with two texts: its own end, and the start of the response.
    const secondTextIndex = candidate.buffered === undefined ? -1 : secondText(pieces);
    candidate.texts?.nextEvent();
    for (const [index, piece] of pieces.entries()) {
      if (index === secondTextIndex) this.#endReasoning(candidate, out);
      if (piece.kind === 'thinking') this.#release(candidate, out);
      if (candidate.texts !== undefined) this.#recordText(piece, candidate, candidate.texts);
      this.#piece(piece, candidate, out);
    }
  }

  /** Records the text of a part, because annotations refer to positions in it. */
  #recordText(piece: ResponsePiece, candidate: Candidate, texts: TextParts): void {
    const text = piece.kind === 'text' ? piece.text : undefined;
    this.#retain(text?.length);
    texts.add(text, candidate.blockKind === piece.kind && !hasOwnBlock(piece));
  }

  /** A whole response is already limited in size. */
  #retain(characters?: number): void {
    if (!this.#isWhole) this.#retained.add(characters);
  }

  #extras(raw: JsonObject, candidate: Candidate, out: ModelEvent[]): void {
    if (this.#call.strict) return;
    const found = candidateExtras(raw);
    if (found === undefined) return;
    const fields = laterExtras(candidate.extras, found);
    // Fields sent before are sent again together with the new ones.
    if (candidate.extras !== undefined) this.#resent.addJson(fields);
    candidate.extras = growingExtras(candidate.extras, fields);
    out.push({ type: 'extra', choice: candidate.index, fields, strict: false });
  }

  #candidateOf(index: number): Candidate {
    const known = this.#candidates.get(index);
    if (known !== undefined) return known;
    this.#retain();
    const made: Candidate = {
      index,
      block: -1,
      blockKind: undefined,
      calls: 0,
      extras: undefined,
      audio: undefined,
      audioPieces: [],
      texts: this.#call.strict ? undefined : new TextParts(),
      finish: undefined,
      finishMessage: undefined,
      buffered: this.#hasUnflaggedReasoning ? '' : undefined,
    };
    this.#candidates.set(index, made);
    return made;
  }

  #piece(piece: ResponsePiece, candidate: Candidate, out: ModelEvent[]): void {
    const choice = candidate.index;
    switch (piece.kind) {
      case 'text':
        this.#text(piece, candidate, out);
        return;
      case 'thinking': {
        if (piece.text === '' && piece.signature === undefined) return;
        const block = blockFor(candidate, piece);
        out.push({ type: 'thinking', choice, text: piece.text, block, ...signed(piece.signature) });
        return;
      }
      case 'call':
        this.#toolCall(piece, candidate, out);
        return;
      case 'media':
        if (isAudio(piece.mimeType)) {
          if (this.#isWhole) {
            candidate.audioPieces.push(piece);
            return;
          }
          candidate.audio ??= new AudioDeltas(this.#call);
          out.push(candidate.audio.push(choice, piece));
        } else {
          const block = blockFor(candidate, piece);
          out.push({ type: 'media', choice, mimeType: piece.mimeType, base64: piece.base64, block, ...signed(piece.signature) });
        }
        return;
      case 'native':
        out.push({ type: 'block', choice, block: blockFor(candidate, piece), state: 'open', kind: 'native', native: piece.native });
        return;
      default:
        piece satisfies never;
    }
  }

  #text(piece: Extract<ResponsePiece, { kind: 'text' }>, candidate: Candidate, out: ModelEvent[]): void {
    if (candidate.buffered !== undefined && this.#call.strict) {
      this.#retain(piece.text.length);
      candidate.buffered += piece.text;
      return;
    }
    if (piece.text === '' && piece.signature === undefined) return;
    const block = blockFor(candidate, piece);
    out.push({ type: 'text', choice: candidate.index, text: piece.text, block, ...signed(piece.signature) });
  }

  /** Stores the signature of a call before the client receives the call. */
  #toolCall(piece: Extract<ResponsePiece, { kind: 'call' }>, candidate: Candidate, out: ModelEvent[]): void {
    const index = candidate.calls;
    candidate.calls += 1;
    // Clients of some formats cannot add sources to a text once a call follows it.
    if (index === 0) out.push(...(candidate.texts?.events(candidate.index, candidate.extras) ?? []));
    // Text after a call gets a new block, and the skipped number marks the position of the call.
    candidate.block += 1;
    candidate.blockKind = undefined;
    const id = this.#ids.next(piece.id, candidate.index, index);
    this.#retain(id.length);
    if (piece.signature !== undefined) out.push({ type: 'note', note: { id, text: piece.signature } });
    out.push({
      type: 'tool_call',
      choice: candidate.index,
      index,
      id,
      name: piece.name,
      arguments: piece.arguments,
      ...(piece.signature === undefined ? {} : { thoughtSignature: piece.signature }),
    });
  }

  /** The buffered text was reasoning. Strict clients never get it; for the others its end is marked. */
  #endReasoning(candidate: Candidate, out: ModelEvent[]): void {
    candidate.buffered = undefined;
    if (this.#call.strict) return;
    out.push({ type: 'text', choice: candidate.index, text: thoughtSeparator, block: Math.max(0, candidate.block) });
  }

  /** There was no second text, so the buffered text is the response. */
  #release(candidate: Candidate, out: ModelEvent[]): void {
    const text = candidate.buffered;
    candidate.buffered = undefined;
    if (text === undefined || text === '') return;
    candidate.block += 1;
    candidate.blockKind = 'text';
    out.push({ type: 'text', choice: candidate.index, text, block: candidate.block });
  }

  #finish(candidate: Candidate, out: ModelEvent[]): void {
    this.#release(candidate, out);
    const { finish: native, index: choice } = candidate;
    if (candidate.audio !== undefined) out.push(...candidate.audio.end(choice));
    const audio = audioOf(candidate.audioPieces, this.#call);
    if (audio !== undefined) out.push({ type: 'audio', choice, audio });
    out.push(...(candidate.texts?.events(choice, candidate.extras) ?? []));
    const reason = finishReason(native, candidate.calls > 0);
    if (native !== undefined) out.push({ type: 'finish', choice, reason, raw: native });
    else if (this.#isWhole) out.push({ type: 'finish', choice, reason });
  }
}

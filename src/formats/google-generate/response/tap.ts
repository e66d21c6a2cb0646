import type { ProviderFault } from '../../../core/error.ts';
import type { WireEvent } from '../../../core/events.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { EventKind, Tap } from '../../../core/tap.ts';
import type { Usage } from '../../../core/model/usage.ts';
import { FinishReasons } from '../../shared/response/finish-reasons.ts';
import { objectAt, textOf, offsetOfValue, listOf } from '../../shared/json.ts';
import { googleFaultInBand } from '../../shared/google-status.ts';
import { errorIn } from '../fault.ts';
import { finishFault, nativeFinishReason } from './finish.ts';
import { checkedAnswer, parsedAnswer } from './parse.ts';
import { candidateIndex, hasContent } from './pieces.ts';
import { geminiUsage, laterUsage } from './usage.ts';

const openBrace = 0x7b;

/**
 * Tap for responses of `generateContent`, streamed and whole. Streams have no end mark: a stream is complete if all candidates
 * have a finish reason, or if the prompt was blocked. Events are parsed until the first content and from the first finish reason
 * on, because a candidate may continue after it; between them only those with an error or a further candidate.
 */
export class GeminiTap implements Tap {
  complete = false;
  id: string | undefined;
  model: string | undefined;
  fault: ProviderFault | undefined;
  contentEvents = 0;
  answer: unknown;
  readonly #finish = new FinishReasons();
  #counts: JsonObject | undefined;
  /** The last event with token counts, and their offset. They are parsed on demand, because nearly every event repeats them. */
  #countsText: string | undefined;
  #countsAt = 0;

  event(event: WireEvent): EventKind {
    const { data } = event;
    if (this.contentEvents > 0 && !this.#finish.hasEnded && !mustBeParsed(data)) {
      this.#storeCounts(data);
      this.contentEvents += 1;
      return 'content';
    }
    return this.#read(parsedAnswer(data), data);
  }

  whole(text: string): ProviderFault | undefined {
    const answer = checkedAnswer(text);
    const error = errorIn(answer);
    if (error !== undefined) {
      this.fault = googleFaultInBand(error);
      return this.fault;
    }
    if (!isJsonObject(answer)) return undefined;
    this.complete = true;
    this.answer = answer;
    this.#readCandidates(answer);
    this.#counts = laterUsage(this.#counts, answer['usageMetadata']);
    return this.fault;
  }

  get usage(): Usage | undefined {
    this.#settle();
    return geminiUsage(this.#counts);
  }

  get finish(): readonly string[] {
    return this.#finish.list();
  }

  #read(answer: unknown, data: string): EventKind {
    const error = errorIn(answer);
    if (error !== undefined) {
      this.fault ??= googleFaultInBand(error);
      return 'fault';
    }
    if (!isJsonObject(answer)) return 'meta';
    this.#settle();
    this.#storeCounts(data);
    const isContent = this.#readCandidates(answer);
    const feedback = answer['promptFeedback'];
    const isBlocked = isJsonObject(feedback) && textOf(feedback['blockReason']) !== undefined;
    this.complete = this.#finish.isComplete || (this.#finish.size === 0 && isBlocked);
    if (this.fault !== undefined) return 'fault';
    if (!isContent && !isBlocked) return 'meta';
    this.contentEvents += 1;
    return 'content';
  }

  /** Reads ids and candidates. True if there is content that a person would see, or the end of a candidate. */
  #readCandidates(answer: JsonObject): boolean {
    this.id ??= textOf(answer['responseId']);
    this.model ??= textOf(answer['modelVersion']);
    let isContent = false;
    const list = listOf(answer['candidates']);
    for (const [at, candidate] of list.entries()) {
      if (!isJsonObject(candidate)) continue;
      const index = candidateIndex(candidate, at, list);
      const reason = nativeFinishReason(candidate['finishReason']);
      this.#finish.set(index, reason);
      const isFilled = hasContent(candidate);
      if (isFilled && reason === undefined) this.#finish.reopen(index);
      isContent ||= isFilled || reason !== undefined;
      if (reason !== undefined && this.#finish.size === 1 && list.length === 1)
        this.fault ??= finishFault(reason, candidate['finishMessage']);
    }
    return isContent;
  }

  #storeCounts(data: string): void {
    const at = offsetOfValue(data, 'usageMetadata');
    if (at < 0 || data.charCodeAt(at) !== openBrace) return;
    this.#settleUnlessTotal(data, at);
    this.#countsText = data;
    this.#countsAt = at;
  }

  /** Parses the earlier counts, unless the new ones contain a total and are therefore complete. */
  #settleUnlessTotal(data: string, at: number): void {
    if (data.indexOf('"totalTokenCount"', at) < 0 || data.indexOf('"promptTokenCount"', at) < 0) this.#settle();
  }

  #settle(): void {
    if (this.#countsText === undefined) return;
    this.#counts = laterUsage(this.#counts, objectAt(this.#countsText, this.#countsAt));
    this.#countsText = undefined;
  }
}

/** After the first content: true if the event ends a candidate, reports an error, or contains a further candidate. */
function mustBeParsed(data: string): boolean {
  if (data.includes('"finishReason"') || data.includes('"promptFeedback"') || offsetOfValue(data, 'error') >= 0) return true;
  const index = offsetOfValue(data, 'index');
  return index >= 0 && data.charCodeAt(index) !== 0x30;
}

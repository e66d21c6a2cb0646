import type { DialectCall } from '../../../core/dialect.ts';
import type { ModelEvent } from '../../../core/events.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { type Kept, keptText, type SignedPiece, signedPieceText } from '../../history/kept-content.ts';
import { signedBy } from '../../history/signatures.ts';
import { LeftOut } from '../../shared/left-out.ts';
import { RetainedSize } from '../../shared/response/retained-size.ts';
import { unsignedPlaceholder } from '../placeholders.ts';
import { type CallBlock, CallBlocks, type Step } from './call-blocks.ts';
import { Ending } from './ending.ts';

/** An event of the messages API. */
export type ApiEvent = JsonObject & { readonly type: string };

/** Id and model of a response if the provider sends none, and where losses are reported. */
export type ResponseNames = Pick<DialectCall, 'id' | 'model' | 'warn'>;

type Hub<T extends ModelEvent['type']> = Extract<ModelEvent, { type: T }>;
type Content = Hub<'text' | 'thinking' | 'redacted' | 'refusal' | 'tool_call' | 'block' | 'annotations' | 'audio'>;

/** The open block. */
interface Open {
  readonly kind: 'text' | 'thinking' | 'call' | 'native';
  readonly index: number;
  /** The provider's number of the block. */
  readonly block: number | undefined;
  signature: string;
  /** For a call: a part of its input was sent. */
  hasInput: boolean;
  /** For a text: its length so far, its signed pieces, and where the last of them ends. */
  length: number;
  readonly signed: SignedPiece[];
  signedEnd: number;
}

const noEvents: readonly ApiEvent[] = Object.freeze([]);

/**
 * Converts hub events to events of the messages API: one block at a time, each closed before the next begins, and stop reason and
 * usage at the end. Whole responses are built from the same events.
 */
export class MessageEvents {
  readonly #names: ResponseNames;
  readonly #calls: CallBlocks;
  readonly #ending = new Ending();
  /** The first choice of the response. The API has only one. */
  #choice: number | undefined;
  #hasStarted = false;
  /** True once the response had reasoning: its client reads such blocks, and sends them back. */
  #hasReasoning = false;
  /** True once a text was sent. */
  #hasText = false;
  /** Signed pieces of the last text, once it is closed. */
  #signed: SignedPiece[] = [];
  /** Encrypted reasoning behind the last text. */
  #late: string[] = [];
  #next = 0;
  #open: Open | undefined;
  /** White space before a text, or a blank text. It is sent with the next text: the API rejects blank texts in later requests. */
  #blank = '';
  /** True once citations were sent in the API's own form. */
  #hasCitations = false;
  /** Content that came before the input of the open call was complete. It follows the call. */
  #deferred: Content[] = [];
  readonly #retained = new RetainedSize();
  readonly #leftOut: LeftOut;

  constructor(names: ResponseNames) {
    this.#names = names;
    this.#leftOut = new LeftOut(names);
    this.#calls = new CallBlocks(names.id);
  }

  /** False until the provider has sent a finish reason. */
  get isFinished(): boolean {
    return this.#ending.isKnown;
  }

  push(event: ModelEvent): readonly ApiEvent[] {
    if ('choice' in event && event.choice !== undefined && event.choice !== (this.#choice ??= event.choice)) return noEvents;
    switch (event.type) {
      case 'start':
        return this.#start(event.id, event.model);
      case 'finish':
        this.#ending.finish(event);
        return noEvents;
      case 'usage':
        this.#ending.usage = event.usage;
        return noEvents;
      case 'extra':
        this.#ending.extra(event.fields);
        return noEvents;
      case 'error':
      case 'note':
        return noEvents;
      case 'media':
        this.#leftOut.file(event.mimeType);
        return noEvents;
      default:
        return [...this.#start('', ''), ...this.#content(event)];
    }
  }

  /** Returns the end of the response. Call it only if `isFinished`. */
  end(): readonly ApiEvent[] {
    const content = [...this.#start('', ''), ...this.#calling(this.#calls.rest()), ...this.#afterCall(), ...this.#close()];
    const last = this.#calls.count === 0 ? content : [...content, ...this.#signatures()];
    const { delta, usage, more } = this.#ending.fields(this.#calls.count);
    return [...last, { type: 'message_delta', delta, usage, ...more }, { type: 'message_stop' }];
  }

  #start(id: string, model: string): readonly ApiEvent[] {
    if (this.#hasStarted) return noEvents;
    this.#hasStarted = true;
    // An id that the gateway generated for a chat completion is not a message id.
    const isGenerated = id === '' || id === `chatcmpl-${this.#names.id}`;
    const message = {
      id: isGenerated ? `msg_${this.#names.id}` : id,
      type: 'message',
      role: 'assistant',
      model: model === '' ? this.#names.model : model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 0, output_tokens: 0 },
    };
    return [{ type: 'message_start', message }, { type: 'ping' }];
  }

  #content(event: Content): readonly ApiEvent[] {
    if (event.type === 'tool_call') return [...this.#calling(this.#calls.take(event)), ...this.#afterCall()];
    if (!this.#calls.isOpen) return this.#contentEvents(event);
    if (event.type === 'block' && event.kind === 'tool') return [...this.#calling(this.#calls.rest()), ...this.#afterCall()];
    this.#retained.addJson(event);
    this.#deferred.push(event);
    return noEvents;
  }

  /** Returns the content that came during a call, if the call has ended. */
  #afterCall(): readonly ApiEvent[] {
    if (this.#deferred.length === 0 || this.#calls.isOpen) return noEvents;
    const late = this.#deferred;
    this.#deferred = [];
    return late.flatMap((event) => this.#content(event));
  }

  #contentEvents(event: Exclude<Content, { type: 'tool_call' }>): readonly ApiEvent[] {
    switch (event.type) {
      case 'text':
        return [...this.#text(event.text, event.block, event.signature), ...this.#sign(event)];
      case 'refusal':
        this.#ending.isRefused = true;
        return this.#text(event.text, undefined);
      case 'audio':
        this.#leftOut.sound(event.audio);
        return this.#text(String(event.audio['transcript'] ?? ''), undefined);
      case 'thinking':
        return this.#thinking(event);
      case 'redacted':
        return this.#redacted(event);
      case 'block':
        return this.#block(event);
      case 'annotations':
        return this.#sources(event.annotations);
      default:
        return event satisfies never;
    }
  }

  #text(text: string, block: number | undefined, signature?: string): readonly ApiEvent[] {
    if (text === '') return noEvents;
    if (this.#open !== undefined && this.#continues(block, signature)) {
      this.#open.length += text.length;
      return [this.#delta({ type: 'text_delta', text })];
    }
    const whole = this.#blank + text;
    if (text.trim() === '') {
      this.#retained.add(text.length);
      this.#blank = whole;
      return noEvents;
    }
    const begun = this.#begin('text', { type: 'text', text: '' }, block);
    if (this.#open !== undefined) this.#open.length = whole.length;
    return [...begun, this.#delta({ type: 'text_delta', text: whole })];
  }

  /** True if a text belongs to the open one. A text with signed pieces is one block, because no signature may follow the last text. */
  #continues(block: number | undefined, signature: string | undefined): boolean {
    if (this.#isOpen('text', block)) return true;
    const open = this.#open?.kind === 'text' ? this.#open : undefined;
    return open !== undefined && this.#hasReasoning && (signature !== undefined || open.signed.length > 0);
  }

  /** Keeps the signature of a text for the end of its block. The API has no place for it in the block. */
  #sign({ text, signature, block }: Hub<'text'>): readonly ApiEvent[] {
    if (signature === undefined || !this.#hasReasoning) return noEvents;
    const open = this.#continues(block, signature) ? this.#open : undefined;
    if (open === undefined && !this.#hasText) return this.#keep('text', signedPieceText({ start: 0, length: 0, signature }));
    this.#retained.add(signature.length);
    if (open === undefined) {
      this.#signed.push({ start: 0, length: 0, signature });
      return noEvents;
    }
    open.signed.push({ start: open.length - text.length - open.signedEnd, length: text.length, signature });
    open.signedEnd = open.length;
    return noEvents;
  }

  /** Writes a block for what a later request needs, in place of the open one. */
  #keep(kept: Kept, value: string): readonly ApiEvent[] {
    const closed = this.#close();
    return [...closed, ...this.#signatures(), ...this.#encrypted(keptText(kept, value))];
  }

  /**
   * Writes the signatures of the last text and what else is encrypted behind it. If no call follows, both are left out: some
   * clients, such as Claude Code, return only the text that follows the last block of reasoning.
   */
  #signatures(): readonly ApiEvent[] {
    const signed = this.#signed;
    this.#signed = [];
    const late = this.#late;
    this.#late = [];
    return [...signed.map((piece) => keptText('text', signedPieceText(piece))), ...late].flatMap((data) => this.#encrypted(data));
  }

  #encrypted(data: string): readonly ApiEvent[] {
    const index = this.#next;
    this.#next += 1;
    const content_block = { type: 'redacted_thinking', data };
    return [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_stop', index },
    ];
  }

  #thinking({ text, signature, block }: Hub<'thinking'>): readonly ApiEvent[] {
    if (!text && signature === undefined) return noEvents;
    this.#hasReasoning = true;
    const opened = this.#isOpen('thinking', block)
      ? noEvents
      : this.#begin('thinking', { type: 'thinking', thinking: '', signature: '' }, block);
    if (this.#open !== undefined && signature !== undefined) this.#open.signature += signature;
    return text ? [...opened, this.#delta({ type: 'thinking_delta', thinking: text })] : opened;
  }

  /** Encrypted reasoning behind a text, as OpenRouter streams it, waits for what follows: no reasoning may follow the last text. */
  #redacted({ data, block }: Hub<'redacted'>): readonly ApiEvent[] {
    this.#hasReasoning = true;
    if (!this.#hasText) return [...this.#begin('native', { type: 'redacted_thinking', data }, block), ...this.#close()];
    this.#retained.add(data.length);
    const closed = this.#close();
    this.#late.push(data);
    return closed;
  }

  #calling(steps: readonly Step[]): readonly ApiEvent[] {
    return steps.flatMap(({ start, delta, call }) => {
      const opened = start === undefined ? noEvents : this.#beginCall(start, call);
      const partial = { type: 'input_json_delta', partial_json: delta };
      // White space after the end of the input, for example, comes too late.
      const open = this.#open;
      if (delta === '' || open === undefined || call.index !== open.index) return opened;
      open.hasInput = true;
      return [...opened, this.#delta(partial)];
    });
  }

  #beginCall(start: JsonObject, call: CallBlock): readonly ApiEvent[] {
    const { signature } = call;
    const signed = signature === undefined || !this.#hasReasoning ? noEvents : this.#keep('next', signature);
    const begun = this.#begin('call', start, undefined);
    call.index = this.#open?.index;
    return [...signed, ...begun];
  }

  /**
   * Sends blocks of the API's own tools unchanged. Blocks of text begin with their first text, because the API rejects empty ones
   * in later requests.
   */
  #block({ kind, state, block, native }: Hub<'block'>): readonly ApiEvent[] {
    if (state === 'close') return this.#open?.block === block ? this.#close() : noEvents;
    if (kind !== 'native' || !isJsonObject(native)) return noEvents;
    if (isApiBlock(native['type'])) return this.#begin('native', native, block);
    if (Array.isArray(native['citations']) && this.#isOpen('text', block)) return this.#cite(native['citations'].filter(isJsonObject));
    if (!this.#isOpen('native', block)) {
      this.#leftOut.step(native);
      return noEvents;
    }
    const { input, content, encrypted_content: encrypted } = native;
    if (isJsonObject(input)) return [this.#delta({ type: 'input_json_delta', partial_json: JSON.stringify(input) })];
    return typeof content === 'string' || typeof encrypted === 'string' ? [this.#delta({ type: 'compaction_delta', ...native })] : noEvents;
  }

  #cite(citations: readonly JsonObject[]): readonly ApiEvent[] {
    this.#hasCitations = true;
    return citations.map((citation) => this.#delta({ type: 'citations_delta', citation: withIndex(citation) }));
  }

  /** Adds the web pages that a service cites to the open text block, since a closed one cannot be changed. */
  #sources(annotations: readonly JsonObject[]): readonly ApiEvent[] {
    if (this.#hasCitations || this.#open?.kind !== 'text') return noEvents;
    const pages = annotations.map(({ url_citation: page }) => page).filter(isJsonObject);
    return this.#cite(
      pages.map(({ url, title }) => ({
        type: 'web_search_result_location',
        url,
        title: title ?? null,
        cited_text: '',
      })),
    );
  }

  #isOpen(kind: Open['kind'], block: number | undefined): boolean {
    return this.#open?.kind === kind && (block === undefined || this.#open.block === undefined || this.#open.block === block);
  }

  #begin(kind: Open['kind'], content: JsonObject, block: number | undefined): readonly ApiEvent[] {
    const closed = [...(kind === 'call' ? noEvents : this.#calling(this.#calls.rest())), ...this.#close()];
    if (kind === 'text') [this.#hasText, this.#signed] = [true, []];
    const signatures = this.#signatures();
    this.#open = { kind, index: this.#next, block, signature: '', hasInput: false, length: 0, signed: [], signedEnd: 0 };
    this.#blank = '';
    this.#next += 1;
    return [...closed, ...signatures, { type: 'content_block_start', index: this.#open.index, content_block: content }];
  }

  #delta(delta: JsonObject): ApiEvent {
    return { type: 'content_block_delta', index: this.#open?.index, delta };
  }

  /**
   * Closes the open block. Clients send thinking back with its signature. If the signature cannot be from the API, a mark is sent
   * instead. A call without input has one empty part of it, as the API itself sends: some clients reject a call that has none.
   */
  #close(): readonly ApiEvent[] {
    const open = this.#open;
    if (open === undefined) return noEvents;
    const { signature } = open;
    const own = signature !== '' && signedBy(signature) !== 'gemini' ? signature : unsignedPlaceholder;
    const last =
      open.kind === 'thinking'
        ? [this.#delta({ type: 'signature_delta', signature: own })]
        : open.kind === 'call' && !open.hasInput
          ? [this.#delta({ type: 'input_json_delta', partial_json: '' })]
          : noEvents;
    this.#open = undefined;
    if (open.kind === 'text') this.#signed = open.signed;
    return [...last, { type: 'content_block_stop', index: open.index }];
  }
}

/** The index of a search result is required, but only the API itself can create it. */
const withIndex = (citation: JsonObject): JsonObject =>
  citation['type'] === 'web_search_result_location' ? { encrypted_index: unsignedPlaceholder, ...citation } : citation;

/** True for steps of the API's own tools, whichever service ran them. */
const isApiBlock = (type: unknown): boolean =>
  typeof type === 'string' && /^(?:server_tool_use|mcp_tool_use|container_upload|compaction|\w+_tool_result)$/.test(type);

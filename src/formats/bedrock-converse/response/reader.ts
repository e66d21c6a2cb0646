import type { ProviderFault } from '../../../core/error.ts';
import type { BlockKind, ModelEvent } from '../../../core/events.ts';
import { inputOf, nativeEvent } from '../../anthropic-messages/response/blocks.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { Call } from '../../../core/provider.ts';
import { annotationsOf } from '../../anthropic-messages/citations.ts';
import { outputTool } from '../../anthropic-messages/response/output-tool.ts';
import { ThoughtNotes } from '../../anthropic-messages/response/thoughts.ts';
import { indexFrom, textOf } from '../../shared/json.ts';
import { RetainedSize } from '../../shared/response/retained-size.ts';
import { toHubCitation } from '../citations.ts';
import { finishFault, finishReasons } from './finish.ts';
import { finishReasonOf } from '../../shared/response/stop-reason.ts';
import { converseUsage } from './usage.ts';

/** The parts of a call that the conversion of a response depends on. */
export type ConverseCall = Pick<Call, 'id' | 'createdAt' | 'model'> & Partial<Pick<Call, 'notes'>>;

/** A content block between its first event and its last. */
interface OpenBlock {
  /** Format of an image, from the start of its block. */
  format: string | undefined;
  kind: BlockKind;
  /** Number of a tool call, counted over the whole response. */
  readonly call: number | undefined;
  /** True for the output tool: its input is the text of the response. */
  readonly isOutput: boolean;
  hasInput: boolean;
  /** Input of a tool that ran at the service, joined from its deltas. */
  inputText: string;
  /** Results of such a tool. */
  readonly found: JsonObject[];
  /** Encrypted content, decoded from base64. */
  readonly redacted: Buffer[];
  readonly citations: JsonObject[];
  /** Offset of its text in the text of the response. */
  readonly start: number;
}

const noEvents: readonly ModelEvent[] = Object.freeze([]);

/**
 * Converts events of a Converse stream to hub events. Blocks of text and reasoning have no start event: they begin with their
 * first delta. Whole responses are converted to the same events first.
 */
export class ConverseReader {
  /** Set if the response ends with an error. It is reported only at the end, because the usage comes last. */
  fault: ProviderFault | undefined;
  /** True once the output tool was called: its input is the response. */
  isOutput = false;
  readonly #call: ConverseCall;
  /** Undefined if nothing is to be remembered. */
  readonly #thoughts: ThoughtNotes | undefined;
  readonly #open = new Map<number, OpenBlock>();
  readonly #annotations: JsonObject[] = [];
  readonly #retained = new RetainedSize();
  #calls = 0;
  /** Length of the text of the response so far, in characters. */
  #length = 0;

  constructor(call: ConverseCall) {
    this.#call = call;
    this.#thoughts = call.notes === undefined ? undefined : new ThoughtNotes();
  }

  event(name: string, data: JsonObject): readonly ModelEvent[] {
    const block = indexFrom(data['contentBlockIndex']) ?? 0;
    switch (name) {
      case 'contentBlockDelta':
        return isJsonObject(data['delta']) ? this.#delta(block, data['delta']) : noEvents;
      case 'contentBlockStart':
        return isJsonObject(data['start']) ? this.#start(block, data['start']) : noEvents;
      case 'contentBlockStop':
        return this.#stop(block);
      case 'messageStart':
        return [{ type: 'start', id: `chatcmpl-${this.#call.id}`, model: this.#call.model, created: this.#call.createdAt }];
      case 'messageStop':
        return this.#finish(data);
      case 'metadata':
        return metadata(data);
      default:
        return noEvents;
    }
  }

  #start(block: number, start: JsonObject): readonly ModelEvent[] {
    const { toolUse, toolResult, image } = start;
    if (isJsonObject(toolUse)) return this.#toolUse(block, toolUse);
    if (isJsonObject(toolResult)) {
      this.#opened(block, 'native');
      const { toolUseId, status, type } = toolResult;
      return [
        nativeEvent(block, {
          type: textOf(type) ?? 'tool_result',
          tool_use_id: toolUseId,
          ...(status === 'error' ? { is_error: true } : {}),
        }),
      ];
    }
    if (!isJsonObject(image)) return this.#unknown(block, start);
    this.#opened(block, 'media', textOf(image['format']));
    return noEvents;
  }

  /** Passes content of an unknown kind as a block with the name of the kind as its type, for clients that use blocks. */
  #unknown(block: number, content: JsonObject): readonly ModelEvent[] {
    const [type, members] = Object.entries(content)[0] ?? [];
    if (!isJsonObject(members)) return noEvents;
    const isNew = !this.#open.has(block);
    this.#block(block, 'native');
    return [nativeEvent(block, isNew ? { type, ...members } : members)];
  }

  #toolUse(block: number, { toolUseId, name, type }: JsonObject): readonly ModelEvent[] {
    if (type === 'server_tool_use') {
      this.#opened(block, 'native');
      return [nativeEvent(block, { type: 'server_tool_use', id: toolUseId, name, input: {} })];
    }
    const isOutput = name === outputTool;
    this.isOutput ||= isOutput;
    const call = isOutput ? undefined : this.#calls;
    if (!isOutput) this.#calls += 1;
    this.#open.set(block, this.#newBlock(isOutput ? 'text' : 'tool', call, isOutput));
    if (call === undefined) return [{ type: 'block', choice: 0, block, state: 'open', kind: 'text' }];
    const id = textOf(toolUseId);
    const note = this.#thoughts?.begin(block, { type: 'tool_use', id });
    const event: ModelEvent = {
      type: 'tool_call',
      choice: 0,
      index: call,
      name: textOf(name) ?? '',
      arguments: '',
      ...(id === undefined ? {} : { id }),
    };
    // The reasoning before a call is stored before the client receives the call.
    return note === undefined ? [event] : [{ type: 'note', note }, event];
  }

  #delta(block: number, delta: JsonObject): readonly ModelEvent[] {
    const { text, toolUse, toolResult, reasoningContent, citation, image } = delta;
    if (typeof text === 'string') return this.#text(block, text);
    if (isJsonObject(toolUse)) return this.#input(block, toolUse['input']);
    if (Array.isArray(toolResult)) {
      for (const one of toolResult.filter(isJsonObject)) {
        this.#retained.addJson(one);
        this.#block(block, 'native').found.push(one);
      }
      return noEvents;
    }
    if (isJsonObject(reasoningContent)) return this.#reasoning(block, reasoningContent);
    if (isJsonObject(citation)) {
      const found = toHubCitation(citation);
      if (found === undefined) return noEvents;
      this.#retained.addJson(found);
      this.#block(block, 'text').citations.push(found);
      return noEvents;
    }
    return isJsonObject(image) ? this.#image(block, image) : this.#unknown(block, delta);
  }

  #text(block: number, text: string): readonly ModelEvent[] {
    const isNew = !this.#open.has(block);
    this.#block(block, 'text');
    this.#length += text.length;
    const event: ModelEvent = { type: 'text', choice: 0, block, text };
    if (isNew) this.#thoughts?.begin(block, { type: 'text', text });
    else this.#thoughts?.delta(block, { text });
    return isNew ? [{ type: 'block', choice: 0, block, state: 'open', kind: 'text' }, event] : [event];
  }

  #input(block: number, input: unknown): readonly ModelEvent[] {
    const opened = this.#open.get(block);
    if (opened === undefined || typeof input !== 'string' || input === '') return noEvents;
    opened.hasInput = true;
    if (opened.isOutput) return this.#text(block, input);
    if (opened.call === undefined) {
      this.#retained.add(input.length);
      opened.inputText += input;
      return noEvents;
    }
    return [{ type: 'tool_call', choice: 0, index: opened.call, arguments: input }];
  }

  #reasoning(block: number, { text, signature, redactedContent }: JsonObject): readonly ModelEvent[] {
    if (typeof redactedContent === 'string') {
      this.#retained.add(redactedContent.length);
      this.#block(block, 'redacted').redacted.push(Buffer.from(redactedContent, 'base64'));
      return noEvents;
    }
    const isNew = !this.#open.has(block);
    this.#block(block, 'thinking');
    const events: ModelEvent[] = isNew ? [{ type: 'block', choice: 0, block, state: 'open', kind: 'thinking' }] : [];
    if (isNew) this.#thoughts?.begin(block, { type: 'thinking', thinking: text, signature });
    else this.#thoughts?.delta(block, { thinking: text, signature });
    if (typeof text === 'string') events.push({ type: 'thinking', choice: 0, block, text });
    if (typeof signature === 'string') events.push({ type: 'thinking', choice: 0, block, signature });
    return events;
  }

  #image(block: number, image: JsonObject): readonly ModelEvent[] {
    const { source, format } = image;
    const bytes = isJsonObject(source) ? textOf(source['bytes']) : undefined;
    const opened = this.#block(block, 'media');
    const imageFormat = textOf(format) ?? opened.format ?? 'png';
    // An image that failed, or that the service has stored.
    if (bytes === undefined) return [nativeEvent(block, { type: 'image', ...image, format: imageFormat })];
    return [{ type: 'media', choice: 0, block, mimeType: `image/${imageFormat}`, base64: bytes }];
  }

  #stop(block: number): readonly ModelEvent[] {
    const opened = this.#open.get(block);
    this.#open.delete(block);
    const close: ModelEvent = { type: 'block', choice: 0, block, state: 'close', kind: opened?.kind ?? 'native' };
    if (opened === undefined) return [close];
    // A call without arguments has no deltas, but clients expect JSON.
    if (!opened.hasInput && opened.isOutput) return [...this.#text(block, '{}'), close];
    if (!opened.hasInput && opened.call !== undefined)
      return [{ type: 'tool_call', choice: 0, index: opened.call, arguments: '{}' }, close];
    // Encrypted content already is base64, and Converse encodes it a second time.
    if (opened.redacted.length > 0) {
      const data = Buffer.concat(opened.redacted).toString('utf8');
      this.#thoughts?.begin(block, { type: 'redacted_thinking', data });
      return [{ type: 'redacted', choice: 0, block, data }, close];
    }
    if (opened.inputText !== '') return [nativeEvent(block, inputOf(opened.inputText)), close];
    if (opened.found.length > 0) return [nativeEvent(block, { content: opened.found }), close];
    if (opened.citations.length === 0) return [close];
    for (const one of annotationsOf(opened.citations, opened.start, this.#length - opened.start)) this.#annotations.push(one);
    return [nativeEvent(block, { citations: opened.citations }), close];
  }

  #finish({ stopReason, additionalModelResponseFields: fields }: JsonObject): readonly ModelEvent[] {
    const raw = textOf(stopReason);
    this.fault = finishFault(raw);
    if (this.fault !== undefined) return noEvents;
    // Ends the blocks that the service has left open, so that what is collected for them is not lost.
    const events = [...this.#open.keys()].flatMap((block) => [...this.#stop(block)]);
    if (isJsonObject(fields)) events.push({ type: 'extra', fields: { additional_model_response_fields: fields }, strict: false });
    if (this.#annotations.length > 0) events.push({ type: 'annotations', choice: 0, annotations: this.#annotations });
    const reason = finishReasonOf(finishReasons, raw, this.#calls);
    events.push({ type: 'finish', choice: 0, reason, ...(raw === undefined ? {} : { raw }) });
    return events;
  }

  #opened(block: number, kind: BlockKind, format?: string): void {
    const opened = this.#newBlock(kind, undefined, false);
    opened.format = format;
    this.#open.set(block, opened);
  }

  #block(block: number, kind: BlockKind): OpenBlock {
    const known = this.#open.get(block) ?? this.#newBlock(kind, undefined, false);
    this.#open.set(block, known);
    return known;
  }

  #newBlock(kind: BlockKind, call: number | undefined, isOutput: boolean): OpenBlock {
    this.#retained.add();
    return {
      format: undefined,
      kind,
      call,
      isOutput,
      hasInput: false,
      inputText: '',
      found: [],
      redacted: [],
      citations: [],
      start: this.#length,
    };
  }
}

function metadata(data: JsonObject): readonly ModelEvent[] {
  const { trace, performanceConfig, serviceTier } = data;
  const events: ModelEvent[] = [];
  const fields = {
    ...(isJsonObject(trace) ? { trace } : {}),
    ...(isJsonObject(performanceConfig) ? { performance_config: performanceConfig } : {}),
    ...(isJsonObject(serviceTier) ? { service_tier: serviceTier['type'] } : {}),
  };
  if (Object.keys(fields).length > 0) events.push({ type: 'extra', fields, strict: false });
  const counts = converseUsage(data);
  if (counts !== undefined) events.push({ type: 'usage', usage: counts });
  return events;
}

import type { JsonObject } from '../../../core/json/merge.ts';
import { readableBlocks, turnMessage } from '../../anthropic-messages/to-hub/turn.ts';
import { objectsIn, stringOf } from '../../shared/json.ts';
import type { Drops } from '../../shared/request/drops.ts';
import { keptIn, type SignedPiece, signedPieceIn } from '../encrypted.ts';
import { customInput } from './tools.ts';

/**
 * Collects the items of one turn of the assistant (reasoning, messages, calls), which are a single message in the common format.
 */
export class AssistantTurn {
  readonly #blocks: JsonObject[] = [];
  readonly #calls: JsonObject[] = [];
  /** Signature of the next call or image. */
  #signature = '';

  get isEmpty(): boolean {
    return this.#blocks.length === 0;
  }

  /** Encrypted reasoning can be read only by the service that created it. */
  reasoning({ summary, content, encrypted_content: encrypted }: JsonObject, drops: Drops): void {
    const kept = keptIn(encrypted);
    const piece = kept?.kept === 'text' ? signedPieceIn(kept.value) : undefined;
    if (kept === undefined && stringOf(encrypted) !== '') drops.add(encryptedContent, 'only the service that created it can read it');
    if (piece !== undefined) this.#sign(piece, drops);
    if (kept?.kept === 'next') this.#signature = kept.value;
    if (kept?.kept === 'redacted') {
      this.#blocks.push({ type: 'redacted_thinking', data: kept.value });
      return;
    }
    const signature = kept?.kept === 'thinking' ? kept.value : '';
    const thinking = textsIn(summary) || textsIn(content);
    if (thinking !== '' || signature !== '') this.#blocks.push({ type: 'thinking', thinking, ...(signature === '' ? {} : { signature }) });
  }

  text(text: string): void {
    if (text !== '') this.#blocks.push({ type: 'text', text });
  }

  /** Divides the last text at its signed piece. */
  #sign({ start, length, signature }: SignedPiece, drops: Drops): void {
    const last = this.#blocks.at(-1);
    const text = last?.['type'] === 'text' && last['signature'] === undefined ? stringOf(last['text']) : '';
    const end = start + length;
    if (end > text.length) {
      drops.add(encryptedContent, 'the text that it belongs to was changed');
      return;
    }
    if (end > 0) this.#blocks.pop();
    this.text(text.slice(0, start));
    this.#blocks.push({ type: 'text', text: text.slice(start, end), signature });
    if (end > 0) this.text(text.slice(end));
  }

  /** @param url data URI */
  image(url: string): void {
    const signature = this.#takeSignature();
    this.#blocks.push({ type: 'image_url', image_url: { url }, ...(signature === '' ? {} : { signature }) });
  }

  call(id: unknown, name: unknown, text: unknown): void {
    const signature = this.#takeSignature();
    const signed = signature === '' ? {} : { extra_content: { google: { thought_signature: signature } } };
    this.#blocks.push({ type: 'tool_use', id, name });
    this.#calls.push({ id, type: 'function', function: { name, arguments: stringOf(text) }, ...signed });
  }

  customCall(id: unknown, name: unknown, input: unknown): void {
    this.call(id, name, JSON.stringify({ [customInput]: stringOf(input) }));
  }

  #takeSignature(): string {
    const signature = this.#signature;
    this.#signature = '';
    return signature;
  }

  message(): JsonObject {
    return turnMessage({ ...readableBlocks(this.#blocks), calls: this.#calls });
  }
}

const encryptedContent = 'input[].reasoning.encrypted_content';

const textsIn = (parts: unknown): string =>
  objectsIn(parts)
    .map(({ text }) => stringOf(text))
    .join('');

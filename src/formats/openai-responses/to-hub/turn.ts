import type { JsonObject } from '../../../core/json/merge.ts';
import { readableBlocks, turnMessage } from '../../anthropic-messages/to-hub/turn.ts';
import { signed } from '../../history/signatures.ts';
import { objectsIn, stringOf, textOf } from '../../shared/json.ts';
import type { Drops } from '../../shared/request/drops.ts';
import { keptIn, signLastText, signedCall, signedPieceIn } from '../../history/kept-content.ts';
import { customInput } from './tools.ts';

/**
 * Collects the items of one turn of the assistant (reasoning, messages, calls), which are a single message in the common format.
 */
export class AssistantTurn {
  readonly #blocks: JsonObject[] = [];
  readonly #calls: JsonObject[] = [];
  /** Signature of the next call or image. */
  #signature: string | undefined;

  get isEmpty(): boolean {
    return this.#blocks.length === 0;
  }

  /** Encrypted reasoning can be read only by the service that created it. */
  reasoning({ summary, content, encrypted_content: encrypted }: JsonObject, drops: Drops): void {
    const kept = keptIn(encrypted);
    const piece = kept?.kept === 'text' ? signedPieceIn(kept.value) : undefined;
    if (kept === undefined && stringOf(encrypted) !== '') drops.add(encryptedContent, 'only the service that created it can read it');
    if (piece !== undefined && !signLastText(this.#blocks, piece)) drops.add(encryptedContent, 'the text that it belongs to was changed');
    if (kept?.kept === 'next') this.#signature = textOf(kept.value);
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

  /** @param url data URI */
  image(url: string): void {
    const signature = this.#takeSignature();
    this.#blocks.push({ type: 'image_url', image_url: { url }, ...signed(signature) });
  }

  call(id: unknown, name: unknown, text: unknown): void {
    const signature = this.#takeSignature();
    this.#blocks.push({ type: 'tool_use', id, name });
    this.#calls.push({ id, type: 'function', function: { name, arguments: stringOf(text) }, ...signedCall(signature) });
  }

  customCall(id: unknown, name: unknown, input: unknown): void {
    this.call(id, name, JSON.stringify({ [customInput]: stringOf(input) }));
  }

  #takeSignature(): string | undefined {
    const signature = this.#signature;
    this.#signature = undefined;
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

import { parseObject } from '../../shared/json.ts';
import type { StepReply, UpstreamRequest } from '../../../core/provider.ts';
import type { Tap } from '../../../core/tap.ts';
import type { Usage } from '../../../core/model/usage.ts';
import { WholeTap } from '../../shared/json-tap.ts';
import { paintsInChat } from './request.ts';
import { GeminiTap } from '../answer/tap.ts';
import { geminiUsage } from '../answer/usage.ts';

/**
 * Models that paint in a chat make one image for each request: for several the same request is sent again. What is to be sent is remembered by the call.
 */
export class ImageCalls {
  readonly #orders = new WeakMap<object, { readonly request: UpstreamRequest; readonly calls: number }>();

  /** The first request, unchanged. */
  first(call: object, request: UpstreamRequest, calls: number): UpstreamRequest {
    if (calls > 1) this.#orders.set(call, { request, calls });
    return request;
  }

  next(replies: readonly StepReply[], call: object): UpstreamRequest | undefined {
    const order = this.#orders.get(call);
    return order === undefined || replies.length >= order.calls ? undefined : { ...order.request, dropped: [] };
  }
}

/** The answers that were images, when the last one failed. */
export const paintedSoFar = (replies: readonly StepReply[]): readonly string[] => replies.slice(0, -1).map(({ text }) => text);

/** All answers of a call. */
export const allTexts = (earlier: readonly StepReply[] | undefined, last: string): readonly string[] => [
  ...(earlier ?? []).map(({ text }) => text),
  last,
];

/** Watches the answers of either method; the last one of several counts what all of them used. */
export function imageTap(model: string, earlier: readonly StepReply[] | undefined): Tap {
  if (!paintsInChat(model)) return new WholeTap();
  return earlier === undefined ? new GeminiTap() : new SumTap(earlier);
}

class SumTap extends GeminiTap {
  readonly #before: readonly Usage[];

  constructor(earlier: readonly StepReply[]) {
    super();
    this.#before = earlier.flatMap(({ text }) => geminiUsage(parseObject(text)?.['usageMetadata']) ?? []);
  }

  override get usage(): Usage | undefined {
    const last = super.usage;
    const all = last === undefined ? this.#before : [...this.#before, last];
    if (all.length === 0) return undefined;
    return all.reduce((sum, one) => ({ ...sum, prompt: sum.prompt + one.prompt, completion: sum.completion + one.completion }));
  }
}

import { parseObject } from '../../shared/json.ts';
import type { Call, StepReply, Translation, UpstreamRequest } from '../../../core/provider.ts';
import type { Tap } from '../../../core/tap.ts';
import type { Usage } from '../../../core/model/usage.ts';
import { JsonTap } from '../../shared/response/json-tap.ts';
import { sumOfUsages } from '../../shared/usage.ts';
import { generatesInChat } from './request.ts';
import { fromImages } from './result.ts';
import { GeminiTap } from '../response/tap.ts';
import { geminiUsage } from '../response/usage.ts';

/** An image request by the client. */
interface ImageOrder {
  readonly model: string;
  /** Number of requests: models that generate images in a chat create one image per request. */
  readonly calls: number;
  readonly call: Pick<Call, 'createdAt'>;
}

/** Sends an image request, and repeats it until there are as many images as requested. */
export class ImageTranslation implements Translation {
  readonly request: UpstreamRequest;
  readonly tap: Tap;
  readonly #order: ImageOrder;
  /** The responses so far. */
  readonly #responses: readonly string[];

  constructor(request: UpstreamRequest, order: ImageOrder, responses: readonly string[] = []) {
    this.request = request;
    this.tap = generatesInChat(order.model) ? new UsageSumTap(responses) : new PredictTap();
    this.#order = order;
    this.#responses = responses;
  }

  result(text: string): unknown {
    return fromImages([...this.#responses, text], this.#order.call);
  }

  then({ text }: StepReply): Translation | undefined {
    const responses = [...this.#responses, text];
    return responses.length >= this.#order.calls
      ? undefined
      : new ImageTranslation({ ...this.request, dropped: [] }, this.#order, responses);
  }

  recover(): unknown {
    return fromImages(this.#responses, this.#order.call);
  }
}

/** Tap for image models with a method of their own. It counts the images in the response; filtered ones are not billed. */
class PredictTap extends JsonTap {
  override whole(text: string): ReturnType<JsonTap['whole']> {
    const fault = super.whole(text);
    const images = fault === undefined ? text.match(/"(?:bytesBase64Encoded|gcsUri)"\s*:\s*"[^"]/g)?.length : undefined;
    if (images !== undefined) this.usage = { prompt: 0, completion: 0, details: { images } };
    return fault;
  }
}

/** Tap for the last of several responses. It reports the usage of all of them. */
class UsageSumTap extends GeminiTap {
  readonly #earlierUsages: readonly Usage[];

  constructor(earlier: readonly string[]) {
    super();
    this.#earlierUsages = earlier.flatMap((text) => geminiUsage(parseObject(text)?.['usageMetadata']) ?? []);
  }

  override get usage(): Usage | undefined {
    const last = super.usage;
    const all = last === undefined ? this.#earlierUsages : [...this.#earlierUsages, last];
    if (all.length === 0) return undefined;
    return all.reduce(sumOfUsages);
  }
}

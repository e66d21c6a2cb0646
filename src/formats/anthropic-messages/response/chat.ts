import type { Translation, UpstreamRequest } from '../../../core/provider.ts';
import type { CollectCall } from '../../openai-chat/collect.ts';
import { offersOutput } from './output-tool.ts';
import { fromMessage } from './result.ts';
import { MessagesStream } from './stream.ts';
import { MessagesTap } from './tap.ts';

/** A chat completion served by the messages API. The response is converted to the hub, whole or as a stream. */
export class MessagesChat implements Translation {
  readonly request: UpstreamRequest;
  readonly tap = new MessagesTap();
  readonly #call: CollectCall;

  constructor(request: UpstreamRequest, call: CollectCall) {
    this.request = request;
    this.#call = call;
  }

  reader(): MessagesStream {
    return new MessagesStream(this.#call, offersOutput(this.request.body));
  }

  result(text: string, answer?: unknown): unknown {
    return fromMessage(text, this.#call, answer);
  }
}

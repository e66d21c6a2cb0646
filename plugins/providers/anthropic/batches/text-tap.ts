import type { Tap } from '#core/tap.ts';
import { ObjectTap } from '#formats/openai-objects/object-tap.ts';

/** A file of lines that is read whole, because the next request is made of it. Nothing in it is looked at here. */
export class TextTap extends ObjectTap implements Tap {
  readonly form = 'text';

  override whole(_text: string): undefined {
    this.complete = true;
    return undefined;
  }
}

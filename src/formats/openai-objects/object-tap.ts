import type { ProviderFault } from '../../core/error.ts';
import type { EventKind, Tap } from '../../core/tap.ts';
import { JsonTap, OpaqueTap, topLevelMembers } from '../shared/response/json-tap.ts';
import { textOf } from '../shared/json.ts';
import { faultInBand } from '../openai-chat/fault.ts';

const readMembers: ReadonlySet<string> = new Set(['id', 'object', 'model', 'error']);

/**
 * Tap for files, batches, fine-tuning jobs and lists of them. These objects describe other work: a batch's usage does not belong
 * to the request that reads it, and the `error` of a failed job is not a fault of the response.
 */
export class ObjectTap extends JsonTap {
  override whole(text: string): ProviderFault | undefined {
    const found = topLevelMembers(text, readMembers);
    if (found === undefined) return undefined;
    this.complete = true;
    this.id = textOf(found['id']);
    this.model = textOf(found['model']);
    const isObject = found['object'] !== undefined || this.id !== undefined;
    if (!isObject && found['error'] !== undefined && found['error'] !== null) this.fault = faultInBand(found, '');
    return this.fault;
  }
}

/** Tap for the content of a file: bytes of any kind, whose end only the transport detects. */
export class BytesTap extends OpaqueTap {
  readonly form = 'bytes';

  /** Not counted: no usage is estimated for a file. */
  override event(): EventKind {
    this.complete = true;
    return 'content';
  }
}

/** Makes the tap accept an empty response, for calls whose result is read by a next request. */
export const allowEmpty = <T extends Tap>(tap: T): T => Object.assign(tap, { mayBeEmpty: true as const });

import type { ProviderFault } from '../../../core/error.ts';
import type { WireEvent } from '../../../core/events.ts';
import { scanObject } from '../../../core/json/scan.ts';
import type { EventKind, Tap } from '../../../core/tap.ts';
import type { Usage } from '../../../core/model/usage.ts';
import { hasError, parseObject, textOf } from '../json.ts';
import { faultInBand } from '../../openai-chat/fault.ts';
import { readUsage } from '../usage.ts';

/** Top-level members that a whole answer is read for; the rest (vectors, pictures, lists) is skipped unparsed. */
const wanted: ReadonlySet<string> = new Set(['id', 'model', 'usage', 'error']);

/** Whole JSON objects whose bulk nobody has to read: embeddings, moderations, images, model lists. */
export class JsonTap implements Tap {
  complete = false;
  id: string | undefined;
  model: string | undefined;
  fault: ProviderFault | undefined;
  readonly finish: readonly string[] = [];
  contentEvents = 0;
  usage: Usage | undefined;

  /** These routes answer whole: no client reads a stream of them. */
  event({ data }: WireEvent): EventKind {
    this.fault ??= streamFault(data);
    return 'fault';
  }

  whole(text: string): ProviderFault | undefined {
    const found = topLevel(text, wanted);
    if (found === undefined) return undefined;
    this.complete = true;
    this.id = textOf(found['id']);
    this.model = textOf(found['model']);
    this.usage = readUsage(found['usage']);
    const error = found['error'];
    if (error !== undefined && error !== null) this.fault = faultInBand(found, '');
    return this.fault;
  }
}

/** Lists of models, of which some services leave out the wrapper. */
export class ListTap extends JsonTap {
  override whole(text: string): ProviderFault | undefined {
    return super.whole(wrapped(text) ?? text);
  }
}

/** A bare list in the wrapper that clients are promised; undefined where the text has one. */
export const wrapped = (text: string): string | undefined => (/^\s*\[/.test(text) ? `{"object":"list","data":${text}}` : undefined);

/** What a stream of a route that answers whole is: the error in its first event, else the stream itself. */
export function streamFault(data: string): ProviderFault {
  const object = parseObject(data);
  return object !== undefined && hasError(object)
    ? faultInBand(object, data)
    : { message: 'The provider returned a stream of events, which this route does not have.' };
}

/** Answers without usage and without a format of ours: nothing is read, everything is content. */
export class WholeTap implements Tap {
  complete = false;
  readonly id = undefined;
  readonly model = undefined;
  readonly fault = undefined;
  readonly usage = undefined;
  readonly finish: readonly string[] = [];
  contentEvents = 0;

  event(_event: WireEvent): EventKind {
    this.contentEvents += 1;
    this.complete = true;
    return 'content';
  }

  whole(_text: string): undefined {
    this.complete = true;
    return undefined;
  }
}

/** Some top-level members of a JSON object, without parsing the rest; undefined for every other text. */
export function topLevel(text: string, names: ReadonlySet<string>): Readonly<Record<string, unknown>> | undefined {
  try {
    const members = scanObject(text).filter((member) => names.has(member.key));
    return parseObject(`{${members.map((member) => text.slice(member.keyStart, member.end)).join(',')}}`);
  } catch {
    return undefined;
  }
}

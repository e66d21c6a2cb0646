import type { ProviderFault } from '../../../core/error.ts';
import type { WireEvent } from '../../../core/events.ts';
import { responseLimits } from '../../../core/json/limits.ts';
import { scanObject } from '../../../core/json/scan.ts';
import type { EventKind, Tap } from '../../../core/tap.ts';
import type { Usage } from '../../../core/model/usage.ts';
import { hasError, parseObject, textOf } from '../json.ts';
import { faultInBand } from '../../openai-chat/fault.ts';
import { readUsage } from '../usage.ts';

/** Top-level members that are read from a whole response. The rest (vectors, images, lists) is skipped unparsed. */
const readMembers: ReadonlySet<string> = new Set(['id', 'model', 'usage', 'error']);

/** Tap for whole JSON objects whose bulk is not needed: embeddings, moderations, images, model lists. */
export class JsonTap implements Tap {
  complete = false;
  id: string | undefined;
  model: string | undefined;
  fault: ProviderFault | undefined;
  readonly finish: readonly string[] = [];
  contentEvents = 0;
  usage: Usage | undefined;

  /** Always a fault: these routes have no streamed responses. */
  event({ data }: WireEvent): EventKind {
    this.fault ??= streamFault(data);
    return 'fault';
  }

  whole(text: string): ProviderFault | undefined {
    const found = topLevelMembers(text, readMembers);
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

/** Tap for lists of models. Some services omit the wrapper object. */
export class ListTap extends JsonTap {
  override whole(text: string): ProviderFault | undefined {
    return super.whole(wrapList(text) ?? text);
  }
}

/** Wraps a bare JSON list in the list object that clients expect; undefined if the text is not a bare list. */
export const wrapList = (text: string): string | undefined => (/^\s*\[/.test(text) ? `{"object":"list","data":${text}}` : undefined);

/** The fault for a stream on a route without streamed responses: the error in its first event, otherwise the stream itself. */
function streamFault(data: string): ProviderFault {
  const object = parseObject(data);
  return object !== undefined && hasError(object)
    ? faultInBand(object, data)
    : { message: 'The provider returned a stream of events, which this route does not have.' };
}

/** Tap for responses in an unknown format and without usage: reads nothing and treats every event as content. */
export class OpaqueTap implements Tap {
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

/** Reads the named top-level members of a JSON object without parsing the rest; undefined for any other text. */
export function topLevelMembers(text: string, names: ReadonlySet<string>): Readonly<Record<string, unknown>> | undefined {
  try {
    const members = scanObject(text, responseLimits).filter((member) => names.has(member.key));
    return parseObject(`{${members.map((member) => text.slice(member.keyStart, member.end)).join(',')}}`);
  } catch {
    return undefined;
  }
}

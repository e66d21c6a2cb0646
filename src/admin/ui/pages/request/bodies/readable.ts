import type { JsonObject } from '../../../../../core/json/merge.ts';
import { tryParseObject } from '../../../../../core/json/scan.ts';
import { errorIn, type FormatReader, type Readable } from './blocks.ts';
import type { StreamEvent } from './events.ts';
import { readChat } from './wire/chat.ts';
import { readGoogle } from './wire/google.ts';
import { readImages } from './wire/images.ts';
import { readMessages } from './wire/messages.ts';
import { readResponses } from './wire/responses.ts';

const readers: readonly FormatReader[] = [readChat, readMessages, readResponses, readGoogle, readImages];

/** The readable form of a response; undefined if its format is unknown. */
export function readableOf(text: string, events: readonly StreamEvent[] | undefined): Readable | undefined {
  const parts = events === undefined ? wholeOf(text) : events.map(({ data }) => tryParseObject(data)).filter((part) => part !== undefined);
  for (const read of readers) {
    const found = read(parts);
    if (found !== undefined) return found;
  }
  const error = parts.map(errorIn).find((message) => message !== null);
  return error === undefined || error === null ? undefined : { messages: [], usage: null, error };
}

function wholeOf(text: string): readonly JsonObject[] {
  const whole = tryParseObject(text);
  return whole === undefined ? [] : [whole];
}

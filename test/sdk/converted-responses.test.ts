import { describe, expect, it } from 'vitest';
import { dialects } from '../../src/formats/index.ts';
import { breaksOff, successful } from '../client-formats/recorded.ts';
import { streamOf, wayOf, wholeOf } from '../client-formats/ways.ts';
import { haveRecordings, type Recording } from '../contract/recordings.ts';
import { skipping } from '../support/skipping.ts';
import { python, runScript } from './python.ts';

/** Recorded responses of every format, converted for clients, have all members that the types of client libraries require. */

const formats = ['openai', 'responses', 'messages'] as const;
type Format = (typeof formats)[number];

/** A response and the events of the same response, as a client gets them. */
interface Converted {
  readonly id: string;
  readonly format: Format;
  readonly whole: unknown;
  readonly events: readonly unknown[];
}

const reason = haveRecordings ? ('missing' in python ? python.missing : undefined) : 'there is no recorded traffic next to the checkout';

describe.skipIf(skipping(reason))(`recorded responses, converted (${reason ?? 'validated'})`, () => {
  it.each(formats)('have the required members: %s', async (format) => {
    if ('missing' in python) return;
    const converted = successful.filter((one) => !isOwn(one, format)).map((exchange) => convert(exchange, format));
    const text = await runScript(python.python, ['./converted-responses.py'], JSON.stringify(converted));
    const { read, rejected } = JSON.parse(text) as { readonly read: number; readonly rejected: readonly string[] };
    expect(rejected).toEqual([]);
    expect(read).toBeGreaterThan(1000);
  });
});

/** True if the response is passed through, or contains images, which are in a form of the gateway's own in chat completions. */
function isOwn({ api, features }: Recording, format: Format): boolean {
  return format === 'openai' ? api === 'chat.completions' || features.includes('image_out') : api === format;
}

function convert(exchange: Recording, format: Format): Converted {
  const way = wayOf(exchange);
  const { whole, stream } = way.forms(exchange);
  const text = stream === undefined || breaksOff(stream) ? '' : streamOf(way, stream, Number.POSITIVE_INFINITY, dialects[format]);
  const lines = text.split('\n').filter((line) => line.startsWith('data:') && !line.endsWith('[DONE]'));
  return {
    id: exchange.id,
    format,
    whole: format === 'openai' ? way.completion(whole) : wholeOf(way, whole, dialects[format]),
    // The API sends pings, which its libraries skip.
    events: lines.map((line) => JSON.parse(line.slice(5)) as { readonly type?: string }).filter(({ type }) => type !== 'ping'),
  };
}

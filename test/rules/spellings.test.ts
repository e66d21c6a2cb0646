import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/core/error.ts';
import { contentTypeOddity } from '../../src/transport/inbound/multipart/oddities.ts';
import { boundaryOf } from '../../src/transport/inbound/multipart/head.ts';
import { FormScanner } from '../../src/transport/inbound/multipart/scanner.ts';
import { readings } from './readings.ts';
import { spellings } from './spellings.ts';
import { big } from './model-locations.ts';

/** A form that a parser may read differently than the gateway is detected as odd or rejected, in chunks of any size. */

const valuesOf = async ({ contentType, body }: (typeof spellings)[number]): Promise<readonly string[] | undefined> => {
  try {
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
    return [...form].flatMap(([name, value]) => (/model/i.test(name) ? [`${name}=${typeof value === 'string' ? value : '(file)'}`] : []));
  } catch {
    return undefined;
  }
};

/** The verdict of the gateway: odd, rejected, or the values of the field `model`. */
function readBy({ contentType, body }: (typeof spellings)[number], size: number): 'odd' | 'refused' | readonly string[] {
  try {
    const boundary = boundaryOf(contentType);
    if (boundary === undefined) return 'refused';
    const scanner = new FormScanner(boundary);
    const values: string[] = [];
    let isModel = false;
    for (let at = 0; at < body.length; at += size) {
      for (const piece of scanner.push(body.subarray(at, at + size))) {
        if (piece.kind === 'head') {
          isModel = /model/i.test(piece.part.name);
          if (isModel) values.push('');
        } else if (piece.kind === 'body' && isModel) values.push(`${values.pop() ?? ''}${piece.bytes.toString('utf8')}`);
      }
    }
    scanner.end();
    return contentTypeOddity(contentType) !== undefined || scanner.oddity !== undefined ? 'odd' : values;
  } catch (error) {
    if (error instanceof GatewayError) return 'refused';
    throw error;
  }
}

describe.each(spellings.map((spelling) => [spelling.name, spelling] as const))('a form with %s', (name, spelling) => {
  it('is read by undici as listed in the table', async () => {
    expect(await valuesOf(spelling)).toEqual(readings[name]?.undici);
  });

  it.each([1, 2, 3, 7, 64, 100_000])('hides no model that another parser reads, in chunks of %i bytes', (size) => {
    const gatewayReading = readBy(spelling, size);
    if (typeof gatewayReading === 'string') return;
    const otherReadings = Object.values(readings[name] ?? {}).flatMap((values: readonly string[] | undefined) => values ?? []);
    if (otherReadings.some((value) => value.includes(big))) expect(gatewayReading).toContain(big);
  });
});

it('the table contains enough forms that parsers read differently', () => {
  const differ = Object.values(readings).filter(({ undici, starlette, werkzeug, go }) => {
    const sorted = [undici, starlette, werkzeug, go].map((values) => JSON.stringify(values?.toSorted()));
    return new Set(sorted).size > 1;
  });
  expect(spellings.length).toBe(Object.keys(readings).length);
  expect(differ.length).toBeGreaterThanOrEqual(36);
});

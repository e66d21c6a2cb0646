import { afterEach, describe, expect, it } from 'vitest';
import { compileFinder } from '../../config/validate/regex.ts';
import { type MaskedBody, type MaskingJob, maskBody, type UnmaskedBody } from '../../core/redaction/bodies.ts';
import { namedPatterns } from '../../core/redaction/find/hits.ts';
import { BodyRedactor, type TooLargeBody } from '../../core/redaction/index.ts';
import type { Counts } from '../../core/redaction/rules.ts';
import { ThreadMasking, type MaskingOptions } from './index.ts';

const rules = { fields: ['user'], patterns: new Set(namedPatterns), own: [], media: 'digest' } as const;
const redactor = new BodyRedactor(rules, ['known-secret-of-the-file']);
const finder = compileFinder('ACME-\\d{6}');
if ('error' in finder) throw new Error(finder.error);
const customRedactor = new BodyRedactor({ ...rules, patterns: new Set(), own: [finder] }, []);

const request = (content: string): UnmaskedBody => ({
  kind: 'request',
  text: Buffer.from(JSON.stringify({ user: 'u', messages: [{ role: 'user', content }] })).toString('latin1'),
});
const events = Array.from({ length: 50 }, (_, i) => Buffer.from(`data: {"choices":[{"delta":{"content":"${i} jane@"}}]}\n\n`));
const stream: Extract<UnmaskedBody, { kind: 'response' }> = {
  kind: 'response',
  body: { pieces: events, size: Buffer.concat(events).length, contentType: 'text/event-stream' },
  times: events.flatMap((_, i) => [i * 50, i]),
};

interface MaskingResult {
  readonly masked: readonly (MaskedBody | TooLargeBody)[] | undefined;
  readonly counts: Counts;
}

const open: ThreadMasking[] = [];
afterEach(async () => {
  for (const masking of open.splice(0)) await masking.close();
});

function start(options: Partial<MaskingOptions> = {}) {
  const faults: Error[] = [];
  const masking = new ThreadMasking({ onFault: (error) => faults.push(error), limitMs: 60_000, ...options });
  open.push(masking);
  const mask = (bodies: readonly UnmaskedBody[], bodyRedactor = redactor, size = 1): Promise<MaskingResult> =>
    new Promise((resolve) => masking.add(jobOf(bodies, bodyRedactor, size, (masked, counts) => resolve({ masked, counts }))));
  return { masking, mask, faults };
}

const jobOf = (bodies: readonly UnmaskedBody[], bodyRedactor: BodyRedactor, size: number, done: MaskingJob['done']): MaskingJob => ({
  redactor: bodyRedactor,
  limit: 1 << 20,
  bodies,
  size,
  done,
});

function maskInline(bodies: readonly UnmaskedBody[], bodyRedactor = redactor): MaskingResult {
  const redaction = bodyRedactor.begin(1 << 20);
  const masked = bodies.map((body) => maskBody(redaction, body));
  return { masked, counts: redaction.counts };
}

describe('ThreadMasking with large bodies', () => {
  const bodies = [request(`jane@example.com ${'x'.repeat(700_000)} known-secret-of-the-file`), request('a'), stream];

  it('masks them in a thread with the same result as on the event loop', async () => {
    const { mask, masking } = start();
    const job = mask(bodies, redactor, 5);
    expect(await job).toEqual(maskInline(bodies));
    expect(masking.dropped).toBe(0);
  });

  it('masks them by the rules of their own configuration', async () => {
    const { mask } = start();
    const bodies = [request('ACME-123456 jane@example.com')];
    for (const bodyRedactor of [redactor, customRedactor, customRedactor, redactor])
      expect(await mask(bodies, bodyRedactor)).toEqual(maskInline(bodies, bodyRedactor));
    expect((await mask([request('x '.repeat(100_000))], customRedactor)).masked).toEqual(['too-large']);
  });

  it('copies them in slices, one slice per turn of the event loop', async () => {
    let turnCount = 0;
    const runLater = (work: () => void): void => {
      turnCount += 1;
      setImmediate(work);
    };
    const { mask } = start({ nextTurn: runLater });
    const piece = Buffer.alloc(300 * 1024, 'x ');
    const pieces = Array.from({ length: 10 }, () => piece);
    const longBody: UnmaskedBody = { kind: 'response', body: { pieces, size: 3000 * 1024, contentType: 'text/plain' }, times: [] };
    await mask([request('y '.repeat(2 * 1024 * 1024)), longBody]);
    expect(turnCount).toBe(8 + 4);
  });

  it('drops bodies beyond the limit of waiting bytes and counts them', async () => {
    const { mask, masking } = start({ maxBytes: 10 });
    const first = mask([request('a')], redactor, 6);
    expect((await mask([request('b')], redactor, 6)).masked).toBeUndefined();
    expect((await first).masked).toHaveLength(1);
    expect(masking.dropped).toBe(1);
  });

  it('drops bodies after a timeout or flush() and masks the next ones', async () => {
    const slowMasking = start({ limitMs: 1 });
    expect((await slowMasking.mask(bodies)).masked).toBeUndefined();
    expect(slowMasking.masking.dropped).toBe(1);
    const { mask, masking } = start();
    const waiting = mask(bodies);
    masking.flush();
    expect((await waiting).masked).toBeUndefined();
    expect((await mask([request('jane@example.com')])).counts).toEqual({ field: 1, email: 1 });
  });

  it('drops bodies on which the thread fails and masks later ones by the same rules', async () => {
    const { mask, masking } = start();
    await mask([request('a')]);
    const broken = { ...stream, body: { ...stream.body, contentType: 5 } } as unknown as UnmaskedBody;
    expect((await mask([broken])).masked).toBeUndefined();
    expect((await mask([request('jane@example.com')])).counts).toEqual({ field: 1, email: 1 });
    expect(masking.dropped).toBe(1);
  });
});

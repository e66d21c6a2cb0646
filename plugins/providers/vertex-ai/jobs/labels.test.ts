import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { base32, fromBase32 } from './base32.ts';
import { labelsOf, metadataOf } from './labels.ts';

const areValid = (labels: object): boolean =>
  Object.entries(labels).every(([key, value]) => /^[a-z][a-z0-9_-]{0,62}$/.test(key) && /^[a-z0-9_-]{0,63}$/.test(String(value)));

describe('the labels of a job', () => {
  it('restore metadata unchanged for any text', () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 }).filter((text) => text.isWellFormed());
    fc.assert(
      fc.property(fc.dictionary(text, text, { maxKeys: 8 }), (metadata) => {
        const { labels, dropped } = labelsOf({}, undefined, metadata);
        expect(areValid(labels)).toBe(true);
        expect(Object.keys(labels).length).toBeLessThanOrEqual(64);
        const restored = metadataOf(labels) ?? {};
        const droppedParams = new Set(dropped.map(({ param }) => param));
        const storedEntries = Object.entries(metadata).filter(([key]) => !droppedParams.has(`metadata.${key}`));
        expect(Object.entries(restored)).toEqual(storedEntries);
      }),
      { examples: [[JSON.parse('{"__proto__": "x", "a": "y"}') as Record<string, string>]] },
    );
  });

  it('drop and report metadata that does not fit', () => {
    const metadata = { a: 'x'.repeat(500), b: 'y'.repeat(500), c: 'z', d: 'ü'.repeat(512), e: 'w'.repeat(512) };
    const { labels, dropped } = labelsOf({ gateway_endpoint: 'embeddings' }, { team: 'search' }, metadata);
    expect(dropped).toEqual([{ param: 'metadata.e', reason: 'does not fit into the labels of a job (64 labels of 63 characters)' }]);
    expect(metadataOf(labels)).toEqual({ ...metadata, e: undefined });
    expect(labels).toMatchObject({ gateway_endpoint: 'embeddings', team: 'search' });
    expect([areValid(labels), Object.keys(labels).length <= 64]).toEqual([true, true]);
  });

  it.each([
    [{ team: 'search', cost: 5, owner: null }, ['labels.cost']],
    [['team'], ['labels']],
    [null, []],
  ])('drop and report client labels that are not strings: %j', (clientLabels, droppedNames) => {
    expect(labelsOf({}, clientLabels, undefined).dropped.map(({ param }) => param)).toEqual(droppedNames);
  });

  it.each([
    ['no labels', undefined],
    ['labels of other tools', { team: 'a' }],
    ['labels that contain no metadata', { gateway_m00: 'aaaa' }],
  ])('have no metadata: %s', (_, labels) => expect(metadataOf(labels)).toBeNull());

  it('are encoded in base32 of RFC 4648', () => {
    expect(['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map((text) => base32(Buffer.from(text)))).toEqual([
      '',
      'my',
      'mzxq',
      'mzxw6',
      'mzxw6yq',
      'mzxw6ytb',
      'mzxw6ytboi',
    ]);
    expect(fromBase32('mzxw6ytboi').toString()).toBe('foobar');
  });
});

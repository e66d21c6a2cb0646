import { describe, expect, it } from 'vitest';
import { JsonBody } from '../../core/json/body.ts';
import { encryptedContent, keptIn, signedPieceIn, signedPieceText, withoutForeignReasoning } from './encrypted.ts';

describe('keptIn', () => {
  it.each(['thinking', 'redacted', 'next', 'text'] as const)('returns what encryptedContent kept: %s', (kept) => {
    for (const value of ['', 'SIG', 'gateway:reasoning:{"a":"b"}']) expect(keptIn(encryptedContent(kept, value))).toEqual({ kept, value });
  });

  it.each(['gAAAAAB', '', undefined, 7, 'gateway:', 'gateway:other:x'])('does not read %j', (value) => {
    expect(keptIn(value)).toBeUndefined();
  });
});

describe('signedPieceIn', () => {
  it('returns what signedPieceText wrote', () => {
    const piece = { start: 12, length: 0, signature: 'a:b' };
    expect(signedPieceIn(signedPieceText(piece))).toEqual(piece);
  });

  it.each(['', 'SIG', '1:SIG', '1:2:', '-1:2:SIG', '1:2e9:SIG'])('does not read %j', (value) => {
    expect(signedPieceIn(value)).toBeUndefined();
  });
});

describe('withoutForeignReasoning', () => {
  const bodyOf = (value: object, space = 0) => JsonBody.from(Buffer.from(JSON.stringify(value, null, space)));
  const own = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAAAB' };
  const foreign = { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'gateway:thinking:' };
  const message = { type: 'message', role: 'user', content: '"gateway:' };

  it.each([0, 2])('removes reasoning of other services (indent %i)', (space) => {
    const body = withoutForeignReasoning(
      bodyOf({ model: 'm', input: [message, foreign, own], seed: 12345678901234567890n.toString() }, space),
    );
    expect(body.value('input')).toEqual([message, own]);
  });

  it.each([
    { input: 'gateway:thinking:' },
    { input: [own, { ...message, content: 'gateway:thinking:' }] },
    { input: [{ ...foreign, type: 'message' }] },
  ])('does not change %j', (value) => {
    const body = bodyOf(value);
    expect(withoutForeignReasoning(body)).toBe(body);
  });
});

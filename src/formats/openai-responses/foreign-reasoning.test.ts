import { describe, expect, it } from 'vitest';
import { JsonBody } from '../../core/json/body.ts';
import { withoutForeignReasoning } from './foreign-reasoning.ts';

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

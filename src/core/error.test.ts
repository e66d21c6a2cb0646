import { describe, expect, it } from 'vitest';
import { fromUnknown, GatewayError, isRetryable, withUsableNames } from './error.ts';

describe('isRetryable', () => {
  it.each([
    [400, false],
    [404, false],
    [408, true],
    [409, true],
    [423, true],
    [424, true],
    [425, true],
    [429, true],
    [499, false],
    [500, true],
    [501, false],
    [503, true],
    [505, false],
  ])('returns for status %d whether a retry can succeed: %s', (status, expected) => {
    expect(isRetryable(status)).toBe(expected);
    expect(isRetryable(status, { message: '' })).toBe(expected);
    expect(isRetryable(status, { message: '', isPermanent: true })).toBe(false);
  });
});

describe('GatewayError', () => {
  it.each([
    ['the row of its code', new GatewayError('overloaded', { message: 'm' }), 503, true],
    ['a row without retry', new GatewayError('not_allowed', { message: 'm' }), 403, false],
    ['explicit details, before the row', new GatewayError('overloaded', { message: 'm', retry: false }), 503, false],
    ['an explicit status', new GatewayError('media_fetch_failed', { message: 'm', status: 503 }), 503, true],
    ['a status of its row', new GatewayError('media_fetch_failed', { message: 'm' }), 400, false],
    [
      'the permanent error of the provider',
      new GatewayError('media_fetch_failed', { message: 'm', status: 503, provider: { message: '', isPermanent: true } }),
      503,
      false,
    ],
  ])('takes status and retry from %s', (_name, error, status, retry) => {
    expect(error).toMatchObject({ status, retry, source: 'gateway', name: 'GatewayError' });
  });

  const names = Array.from({ length: 21 }, (_, i) => `n${i}`);
  it.each<[asked: string, names: string[], hint: string | undefined]>([
    ['zzzz', [], undefined],
    ['zzzz', ['alpha', 'beta'], 'Models: alpha, beta.'],
    ['alpah', ['alpha', 'beta'], 'Did you mean "alpha"? Models: alpha, beta.'],
    ['zzzz', names.slice(0, 20), `Models: ${names.slice(0, 20).join(', ')}.`],
    ['zzzz', names, `Models: ${names.slice(0, 20).join(', ')}, ….`],
  ])('lists similar and known names in the hint: %j of %j', (requested, known, hint) => {
    const error = new GatewayError('model_not_found', { message: 'm', known: { requested, noun: 'Models', names: known } });
    expect(error.hint).toBe(hint);
  });

  it('limits the names in the hint to those that the caller may use', () => {
    const error = new GatewayError('model_not_found', {
      message: 'm',
      status: 410,
      retry: true,
      param: 'model',
      known: { requested: 'alpah', noun: 'Models', names: ['alpha', 'beta'] },
    });
    expect(withUsableNames(error, (name) => name === 'beta')).toMatchObject({
      code: 'model_not_found',
      message: 'm',
      status: 410,
      retry: true,
      param: 'model',
      hint: 'Models: beta.',
      cause: error,
    });
    const plainError = new GatewayError('model_not_found', { message: 'm' });
    expect(withUsableNames(plainError, () => true)).toBe(plainError);
  });
});

describe('fromUnknown', () => {
  const ownError = new GatewayError('overloaded', { message: 'm' });
  const foreignError = (overrides: object): Error => Object.assign(new Error('theirs'), overrides);

  it('returns a GatewayError unchanged', () => {
    expect(fromUnknown(ownError)).toBe(ownError);
  });

  it.each<[name: string, thrown: unknown, wanted: object]>([
    [
      'an error of another copy of the class',
      foreignError({ code: 'not_allowed', status: 418, param: 'p', hint: 'h' }),
      { code: 'not_allowed', status: 418, param: 'p', hint: 'h' },
    ],
    [
      'no status of an error',
      foreignError({ code: 'not_allowed', status: 200, param: 7, hint: {} }),
      { status: 403, param: undefined, hint: undefined },
    ],
    ['an unknown code', foreignError({ code: 'ENOENT' }), { code: 'internal', status: 500 }],
    ['a name that every object has', foreignError({ code: 'toString' }), { code: 'internal' }],
    ['a code that is not a string', foreignError({ code: 7 }), { code: 'internal' }],
    ['no code', foreignError({}), { code: 'internal' }],
    ['an object that is not an Error', { code: 'not_allowed', message: 'm' }, { code: 'internal' }],
    ['undefined', undefined, { code: 'internal' }],
  ])('converts anything else to an error of the catalogue: %s', (_name, thrownValue, expected) => {
    const error = fromUnknown(thrownValue);
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject(expected);
    expect(error.message).toBe(
      error.code === 'internal' ? 'The gateway could not process this request because of an internal error.' : 'theirs',
    );
    expect(error.cause).toBe(thrownValue);
  });
});

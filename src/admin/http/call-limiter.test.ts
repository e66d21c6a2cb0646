import { expect, it } from 'vitest';
import { GatewayError } from '../../core/error.ts';
import { callLimits, CallLimiter } from './call-limiter.ts';

it('reports in its error the time until the next call is allowed', () => {
  let now = 0;
  const calls = new CallLimiter(() => now, callLimits.signedIn);
  const refusal = (): unknown => {
    try {
      return calls.begin('one');
    } catch (error) {
      return error;
    }
  };
  for (let n = 0; n < 600; n += 1) calls.begin('one')();
  now = 2500;
  const firstRefusal = refusal();
  expect(firstRefusal).toMatchObject({ code: 'rate_limited', waitS: 8, hint: 'Try again in 8 seconds.' });
  calls.begin('another')();
  now += (firstRefusal as GatewayError).waitS! * 1000;
  expect(refusal()).toBeTypeOf('function');
});

it('allows any number of sign-in calls, because all clients behind a proxy share one address', () => {
  const calls = new CallLimiter(() => 0, callLimits.anonymous);
  for (let n = 0; n < 1000; n += 1) calls.begin('address of the proxy')();
  expect(calls.begin('address of the proxy')).toBeTypeOf('function');
});

it('limits concurrent calls', () => {
  const calls = new CallLimiter(() => 0, callLimits.signedIn);
  for (let n = 0; n < callLimits.signedIn.ofOne; n += 1) calls.begin('one');
  expect(() => calls.begin('one')).toThrow(expect.objectContaining({ waitS: 1, hint: 'Try again in 1 second.' }) as Error);
});

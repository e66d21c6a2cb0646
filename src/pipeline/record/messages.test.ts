import { describe, expect, it } from 'vitest';
import { makeContext, makeSnapshot } from '../../../test/support/stage-context.ts';
import { keptOf, policyOf } from './messages.ts';
import type { RequestContext } from '../request.ts';

const { log } = makeSnapshot();
const asked = (bodies: typeof log.bodies, headers: Record<string, string>): RequestContext =>
  makeContext({ snapshot: { ...makeSnapshot(), log: { ...log, bodies } }, headers }) as RequestContext;

describe('what a record keeps', () => {
  it.each([
    ['none', 0],
    ['metadata', 0],
    ['full', 7],
  ] as const)('under %s are %i bytes of a response at most', (bodies, bytes) => {
    expect(keptOf({ ...log, bodies, maxBody: 7 })).toBe(bytes);
  });

  it.each([
    ['none', undefined, 'none'],
    ['none', 'false', 'none'],
    ['metadata', 'false', 'metadata'],
    ['full', undefined, 'full'],
    ['full', 'true', 'full'],
    ['full', 'false', 'metadata'],
    ['full', 'neither', 'full'],
  ] as const)('under %s and x-gateway-debug %s is %s', (bodies, debug, policy) => {
    expect(policyOf(asked(bodies, debug === undefined ? {} : { 'x-gateway-debug': debug }))).toBe(policy);
  });
});

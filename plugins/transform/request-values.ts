import type { Routed } from '#core/context.ts';
import { GatewayError } from '#core/error.ts';
import type { Clocks } from '#core/snapshot.ts';
import { spelled } from '#core/text/header-spelling.ts';

/** `x-gateway-request-timeout` in milliseconds: it may only lower the clock. @throws GatewayError */
export function lowered(ctx: Routed, clocks: Clocks): Clocks {
  const text = ctx.headers.gateway('requestTimeout');
  if (text === undefined || text === '') return clocks;
  const ms = Number(text);
  if (!Number.isFinite(ms) || ms <= 0) {
    throw new GatewayError('invalid_header', {
      message: `The request timeout "${text.slice(0, 40)}" is not a number of milliseconds.`,
      param: spelled(ctx.headers, 'requestTimeout'),
      hint: 'Send a number above 0, for example 30000.',
    });
  }
  return clocks.request !== undefined && clocks.request <= ms ? clocks : { ...clocks, request: ms };
}

/** The host that the request chose for its provider; whether it may is the routing's business. */
export function chosenHost(ctx: Routed): string | undefined {
  return ctx.headers.gateway('customHost') || undefined;
}

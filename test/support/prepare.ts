import transform from '../../plugins/transform/index.ts';
import type { Routed } from '../../src/core/context.ts';
import type { Attempt } from '../../src/core/plan.ts';
import type { PluginHost } from '../../src/core/plugin.ts';
import type { Leaf, ProviderBinding } from '../../src/core/snapshot.ts';
import { makeAttempt, makeBinding, makeContext, makeHost, makeLeaf, type RequestParts, setUp } from './stage-context.ts';

/** Creates attempts in the state after the transform stage. */

export const chat = { model: 'gpt-4o', messages: [] };

/** An attempt before any stage has changed it. */
export const draftAttempt = (ctx: Routed, leaf: Leaf, binding: ProviderBinding): Attempt =>
  makeAttempt(leaf, { binding, model: '', timeouts: ctx.snapshot.server.timeouts, trust: binding.trust });

export interface Case extends RequestParts {
  readonly leaf?: Partial<Leaf>;
  readonly binding?: ProviderBinding;
  readonly host?: PluginHost;
}

/** Prepares one attempt of a chat call. */
export async function prepare({ leaf, binding = makeBinding('main'), host = makeHost(), ...parts }: Case) {
  const plugin = await setUp(transform, {}, host);
  const ctx = makeContext({ body: chat, ...parts });
  const attempt = draftAttempt(ctx, makeLeaf({ provider: binding, ...leaf }), binding);
  await plugin.prepare?.(ctx, attempt);
  const body = attempt.upstream?.body;
  return { ctx, attempt, body: body?.kind === 'json' ? body.bytes().toString() : undefined };
}

/** Returns a header of the upstream request. */
export const header = (attempt: Attempt, name: string): string | undefined => {
  const pairs = attempt.upstream?.headers ?? [];
  for (let i = 0; i < pairs.length; i += 2) if (pairs[i] === name) return pairs[i + 1];
  return undefined;
};

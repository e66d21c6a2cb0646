import { booleanIn } from '../../core/text/boolean-word.ts';
import { traitsOf } from '../../core/endpoint.ts';
import { canonicalPrefix, type RequestHeader, requestHeaders } from '../../core/http/headers.ts';
import { slugOf } from '../../core/model/model-name.ts';
import type { Attempt } from '../../core/plan.ts';
import type { Overruled } from '../../core/records/record.ts';
import type { ProviderBinding } from '../../core/snapshot.ts';
import { secretTails } from '../../core/model/request-settings.ts';
import { spelled, spelledTail } from '../../core/text/header-spelling.ts';
import { bounded, limits } from './bounds.ts';
import { lowers } from './policy.ts';
import type { RequestContext } from '../request.ts';

const none: readonly Overruled[] = Object.freeze([]);

/**
 * Lists the choices of the request that another choice overrides. Most requests make one choice and have no header of the
 * gateway. `hasGateway` is set while the head is parsed, so checking it costs nothing here.
 */
export function overruledIn(ctx: RequestContext, attempt: Attempt): readonly Overruled[] {
  if (!ctx.headers.hasGateway && ctx.facts.prompt === undefined && ctx.pathModel === undefined) return none;
  const found: Overruled[] = [];
  const add = (choice: string, value: string, by: string): void => {
    found.push({ choice, value: bounded(value, limits.id), by });
  };
  providers(ctx, attempt, add);
  models(ctx, add);
  settings(ctx, attempt, add);
  spellings(ctx, add);
  return found.length === 0 ? none : found;
}

type Add = (choice: string, value: string, by: string) => void;

/** Model slug, provider header and virtual key: all of them if the target names its provider, otherwise all but the one that applied. */
function providers(ctx: RequestContext, { target, binding }: Attempt, add: Add): void {
  const { headers, facts } = ctx;
  const slug = slugOf((facts.prompt === undefined ? ctx.requestedModel : facts.prompt.requestedModel) ?? '');
  const header = headers.gateway('provider') || undefined;
  const key = headers.gateway('virtualKey') || undefined;
  // The choice that applied is never listed, whatever its spelling.
  const isChosen = facts.choice !== undefined && isSame(facts.choice.binding, binding);
  const winner = facts.choice?.by;
  const by = target.provider !== undefined ? 'config' : winner === 'model' ? 'model' : spelled(headers, 'provider');
  if (slug !== undefined && !(isChosen && winner === 'model') && !names(binding, slug)) add('model', `@${slug}`, by);
  if (header !== undefined && !(isChosen && winner === 'header') && !names(binding, header)) add(spelled(headers, 'provider'), header, by);
  if (key !== undefined && !(isChosen && winner === 'virtual-key') && !names(binding, key)) add(spelled(headers, 'virtualKey'), key, by);
}

const isSame = (one: ProviderBinding, other: ProviderBinding): boolean =>
  one.slug === other.slug && one.virtualKey === other.virtualKey && one.provider === other.provider;

/** Some clients also put the model after the slug in a header. */
function names({ slug, virtualKey }: ProviderBinding, written: string): boolean {
  const name = slugOf(written) ?? written;
  return name === (virtualKey ?? slug);
}

/** The model in the path overrides the one in the body, which overrides the one in a header. */
function models({ headers, requestedModel, pathModel, received, endpoint }: RequestContext, add: Add): void {
  if (requestedModel === '') return;
  const own = pathModel !== undefined && received.kind === 'json' ? received.peek('model') : undefined;
  if (typeof own === 'string' && own !== pathModel && traitsOf(endpoint).modelByHeader !== true) add('model', own, 'path');
  const named = headers.gateway('providerModel');
  if (named !== undefined && named !== '' && named !== requestedModel) add(spelled(headers, 'providerModel'), named, 'model');
}

/** Headers that can only restrict the configuration. */
function settings(ctx: RequestContext, { binding, call, clocks, target }: Attempt, add: Add): void {
  const { headers } = ctx;
  if (binding.owner === 'catalog')
    for (const tail of secretTails(binding.provider)) if (headers.tail(tail)) add(spelledTail(headers, tail), '***', 'config');
  const timeout = headers.gateway('requestTimeout');
  if (timeout !== undefined && timeout !== '' && clocks.request !== undefined && Number(timeout) > clocks.request)
    add(spelled(headers, 'requestTimeout'), timeout, 'config');
  const strict = headers.gateway('strictCompliance');
  const log = headers.gateway('log');
  if (log !== undefined && log !== '' && !lowers(ctx)) add(spelled(headers, 'log'), log, 'config');
  if (strict !== undefined && call?.strict === false && target.strict === false && booleanIn(strict) === true)
    add(spelled(headers, 'strictCompliance'), strict, 'config');
}

/** The header was sent under two prefixes: the canonical prefix takes precedence. */
function spellings({ headers }: RequestContext, add: Add): void {
  const { aliasPrefix } = headers;
  if (aliasPrefix === undefined) return;
  for (const header of choosing) {
    const value = headers.gateway(header);
    for (const tail of requestHeaders[header]) {
      const other = headers.get(aliasPrefix + tail);
      if (other === undefined || other === value) continue;
      // An inline config may contain credentials.
      const shown = other.trimStart().startsWith('{') ? 'inline' : other;
      add(aliasPrefix + tail, shown, canonicalPrefix + requestHeaders[header][0]);
    }
  }
}

const choosing = ['config', 'provider', 'virtualKey'] as const satisfies readonly RequestHeader[];

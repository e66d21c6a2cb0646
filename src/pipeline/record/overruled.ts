import { booleanIn } from '../../core/text/boolean-text.ts';
import { traitsOf } from '../../core/endpoint.ts';
import { canonicalPrefix, type RequestHeader, requestHeaders } from '../../core/http/headers.ts';
import { slugOf } from '../../core/model/model-name.ts';
import type { Attempt } from '../../core/plan.ts';
import type { Overruled } from '../../core/records/record.ts';
import type { ProviderBinding } from '../../core/snapshot.ts';
import { secretHeaders } from '../../core/model/request-settings.ts';
import { headerNameAsSent, tailNameAsSent } from '../../core/text/header-name-as-sent.ts';
import { bounded, limits } from './bounds.ts';
import { isLogHeaderApplied } from './policy.ts';
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
  addProviders(ctx, attempt, add);
  addModels(ctx, add);
  addSettings(ctx, attempt, add);
  addAliases(ctx, add);
  return found.length === 0 ? none : found;
}

type AddOverruled = (choice: string, value: string, by: string) => void;

/** Model slug, provider header and virtual key: all of them if the target names its provider, otherwise all but the one that applied. */
function addProviders(ctx: RequestContext, { target, binding }: Attempt, add: AddOverruled): void {
  const { headers, facts } = ctx;
  const slug = slugOf((facts.prompt === undefined ? ctx.requestedModel : facts.prompt.requestedModel) ?? '');
  const header = headers.gateway('provider') || undefined;
  const key = headers.gateway('virtualKey') || undefined;
  // The choice that applied is never listed, whatever its spelling.
  const isChosen = facts.choice !== undefined && isSame(facts.choice.binding, binding);
  const winner = facts.choice?.by;
  const by = target.provider !== undefined ? 'config' : winner === 'model' ? 'model' : headerNameAsSent(headers, 'provider');
  if (slug !== undefined && !(isChosen && winner === 'model') && !namesBinding(binding, slug)) add('model', `@${slug}`, by);
  if (header !== undefined && !(isChosen && winner === 'header') && !namesBinding(binding, header))
    add(headerNameAsSent(headers, 'provider'), header, by);
  if (key !== undefined && !(isChosen && winner === 'virtual-key') && !namesBinding(binding, key))
    add(headerNameAsSent(headers, 'virtualKey'), key, by);
}

const isSame = (one: ProviderBinding, other: ProviderBinding): boolean =>
  one.slug === other.slug && one.virtualKey === other.virtualKey && one.provider === other.provider;

/** Some clients also put the model after the slug in a header. */
function namesBinding({ slug, virtualKey }: ProviderBinding, written: string): boolean {
  const name = slugOf(written) ?? written;
  return name === (virtualKey ?? slug);
}

/** The model in the path overrides the one in the body, which overrides the one in a header. */
function addModels({ headers, requestedModel, pathModel, received, endpoint }: RequestContext, add: AddOverruled): void {
  if (requestedModel === '') return;
  const bodyModel = pathModel !== undefined && received.kind === 'json' ? received.peek('model') : undefined;
  if (typeof bodyModel === 'string' && bodyModel !== pathModel && traitsOf(endpoint).modelByHeader !== true)
    add('model', bodyModel, 'path');
  const named = headers.gateway('providerModel');
  if (named !== undefined && named !== '' && named !== requestedModel) add(headerNameAsSent(headers, 'providerModel'), named, 'model');
}

/** Headers that can only restrict the configuration. */
function addSettings(ctx: RequestContext, { binding, call, timeouts, target }: Attempt, add: AddOverruled): void {
  const { headers } = ctx;
  if (binding.owner === 'catalog')
    for (const tail of secretHeaders(binding.provider)) if (headers.tail(tail)) add(tailNameAsSent(headers, tail), '***', 'config');
  const timeout = headers.gateway('requestTimeout');
  if (timeout !== undefined && timeout !== '' && timeouts.request !== undefined && Number(timeout) > timeouts.request)
    add(headerNameAsSent(headers, 'requestTimeout'), timeout, 'config');
  const strict = headers.gateway('strictCompliance');
  const log = headers.gateway('log');
  if (log !== undefined && log !== '' && !isLogHeaderApplied(ctx)) add(headerNameAsSent(headers, 'log'), log, 'config');
  if (strict !== undefined && call?.strict === false && target.strict === false && booleanIn(strict) === true)
    add(headerNameAsSent(headers, 'strictCompliance'), strict, 'config');
}

/** The header was sent under two prefixes: the canonical prefix takes precedence. */
function addAliases({ headers }: RequestContext, add: AddOverruled): void {
  const { aliasPrefix } = headers;
  if (aliasPrefix === undefined) return;
  for (const header of choiceHeaders) {
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

const choiceHeaders = ['config', 'provider', 'virtualKey'] as const satisfies readonly RequestHeader[];

import { parseJson } from '../../core/json/scan.ts';
import { traitsOf } from '../../core/endpoint.ts';
import { GatewayError } from '../../core/error.ts';
import { objectIdPaths } from '../../core/objects/id-paths.ts';
import { canonicalId, type ObjectOwners } from '../../core/objects/owners.ts';
import type { Attempt, Outcome } from '../../core/plan.ts';
import type { RequestContext } from '../request.ts';
import { withOwners } from './bind.ts';
import { isStoredUnread, watchedBatch } from './batch-lines.ts';
import { CallerObjects } from './caller-objects.ts';
import { watchedForm } from './forms.ts';
import { type NextPage, pageOfCaller } from './list.ts';
import { checkInputs } from './stored-files.ts';

/**
 * `isolate: true`: objects that one gateway key created at a provider are invisible to other keys. Ids are stored before the client
 * learns them, and looked up before a request that names them is sent.
 */
export class Isolation {
  readonly #owners: ObjectOwners;

  constructor(owners: ObjectOwners) {
    this.#owners = owners;
  }

  /**
   * Called before the request is prepared if that downloads files or converts a form to JSON, because a caller must not
   * learn whether objects of other callers exist.
   *
   * @throws GatewayError `object_not_found`, and errors of a form that is read to its end
   */
  admitFiles(ctx: RequestContext, attempt: Attempt): void | Promise<void> {
    const { body } = ctx;
    const operation = attempt.binding.provider.operations[ctx.endpoint];
    const isRead = body.kind === 'json' ? operation?.media !== undefined : body.kind === 'form' && operation?.fromForm !== undefined;
    const caller = isRead ? this.#callerOf(ctx, attempt) : undefined;
    if (caller === undefined) return undefined;
    if (body.kind === 'json') return caller.checkJson(body.bytes().toString('utf8'), body.json());
    if (body.kind !== 'form') return undefined;
    if (body.isBuffered) return caller.checkFields(body.partsRead);
    return body.buffer().then(() => caller.checkFields(body.partsRead));
  }

  /** Called after the request is prepared and before it is sent. @throws GatewayError `object_not_found`, `not_allowed` */
  admit(ctx: RequestContext, attempt: Attempt): void {
    const caller = this.#callerOf(ctx, attempt);
    if (caller === undefined) return;
    const { endpoint, body } = ctx;
    const traits = traitsOf(endpoint);
    if (traits.body === 'passing' && endpoint !== 'models/{id}') throw unknownObjectsError(ctx, attempt);
    const { id } = ctx.params;
    if (id !== undefined && traits.state === 'names') caller.requireOwned(canonicalId(id), id);
    if (body.kind === 'json') {
      caller.checkJson(body.bytes().toString('utf8'), body.json());
      checkInputs(body.json(), caller);
    }
    const { target, upstream } = attempt;
    if (target.root === 'inline' && target.override !== undefined) {
      const override = JSON.stringify(target.override);
      caller.checkJson(override, parseJson(override));
      checkInputs(target.override, caller);
    }
    if (upstream !== undefined && body.kind === 'form') {
      const watched = watchedForm(traits.file === 'up' ? watchedBatch(upstream, caller) : upstream, caller);
      attempt.upstream = watched;
      if (isStoredUnread(watched)) attempt.storesUnread = true;
    }
    if (objectIdPaths[endpoint] !== undefined) attempt.readsWhole = true;
  }

  /** Returns the response for this caller: stores owners and filters lists. Calls `next` after a page without a row of the caller. */
  settle(ctx: RequestContext, outcome: Outcome, next: NextPage): Outcome | Promise<Outcome> {
    if (outcome.kind !== 'answered' || outcome.reply.status >= 300) return outcome;
    const answer = objectIdPaths[ctx.endpoint];
    const caller = answer === undefined ? undefined : this.#callerOf(ctx, outcome.attempt);
    if (answer === undefined || caller === undefined) return outcome;
    if (answer.isList === true) {
      const warn = (text: string): void => void ctx.warnings.push(text);
      return pageOfCaller(outcome, { endpoint: ctx.endpoint, answer, caller, query: ctx.query, next, warn });
    }
    if (answer.isBrief === true && ctx.body.kind === 'json' && ctx.body.peek('store') === false) return outcome;
    return withOwners(outcome, answer, caller);
  }

  #callerOf(ctx: RequestContext, { binding }: Attempt): CallerObjects | undefined {
    const { key } = ctx.facts.caller;
    return binding.isolate === true && key?.isolated === true ? new CallerObjects(this.#owners, binding.slug, key.owner) : undefined;
  }
}

function unknownObjectsError({ method, path }: RequestContext, { binding }: Attempt): GatewayError {
  return new GatewayError('not_allowed', {
    message: `Provider "${binding.slug}" has isolate: true, but the gateway does not know which objects ${method} ${path} reaches.`,
    hint: `Use a route of docs/routes.md, or a provider or key without isolation (providers.${binding.slug}.isolate).`,
  });
}

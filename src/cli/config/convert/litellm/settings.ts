import { longestMaxAge } from '../../../../core/target/cache-policy.ts';
import { entriesOf, type Node, textOf } from '../../../../config/read/node.ts';
import type { Notes } from '../notes.ts';
import { firstNumber, SourceSection } from '../section.ts';
import { fallbacksByName, type RouterParts } from './fallbacks.ts';
import { callbacks } from './reasons.ts';
import { attemptsOf, seconds } from './target-params.ts';

/** What applies to all models. */
export interface RouterSettings {
  readonly retries: number | undefined;
  readonly timeout: string | undefined;
  readonly circuit: Record<string, unknown> | undefined;
  readonly cache: Record<string, unknown> | undefined;
  /** Name → names that are tried after it. */
  readonly fallbacks: ReadonlyMap<string, readonly string[]>;
  /** Further name → name of a group. */
  readonly aliases: readonly (readonly [string, string])[];
}

export function routerSettings(parts: RouterParts): RouterSettings {
  const { router, notes } = parts;
  reportStrategy(router, parts);
  return {
    retries: retries(parts),
    timeout: firstNumber(
      [
        [router, 'timeout'],
        [parts.litellm, 'request_timeout'],
      ],
      notes,
      seconds,
    ),
    circuit: circuit(router, parts),
    cache: cache(parts.litellm, notes),
    fallbacks: fallbacksByName(parts),
    aliases: aliases(router, parts),
  };
}

function retries({ router, litellm, groups, notes }: RouterParts): number | undefined {
  return firstNumber(
    [
      [router, 'num_retries'],
      [litellm, 'num_retries'],
    ],
    notes,
    (value, { keyAt }, path) => {
      const attempts = attemptsOf(value, path, keyAt, notes);
      if (attempts > 0 && [...groups.values()].some(({ length }) => length > 1))
        notes.different(path, keyAt, 'a retry calls the same deployment again, not another one of the same name');
      return attempts;
    },
  );
}

const strategies = ['least-busy', 'usage-based-routing', 'usage-based-routing-v2', 'latency-based-routing', 'cost-based-routing'];

function reportStrategy(router: SourceSection, { notes }: RouterParts): void {
  const found = router.text('routing_strategy');
  if (found === undefined || found.value === 'simple-shuffle') return;
  const name = strategies.includes(found.value) ? `${found.value} → ` : '';
  const to = 'loadbalance with the weights of the targets';
  notes.different(router.pathOf('routing_strategy'), found.entry.keyAt, `${name}${to}`);
}

/** LiteLLM skips a deployment for 5 seconds after more than 3 failures if nothing else is set (`litellm/constants.py`). */
const defaults = { allowedFails: 3, cooldownTime: 5 } as const;

function circuit(router: SourceSection, { notes }: RouterParts): Record<string, unknown> | undefined {
  const fails = router.number('allowed_fails');
  const cooldown = router.number('cooldown_time');
  if (fails === undefined && cooldown === undefined) return undefined;
  if (fails !== undefined)
    notes.different(router.pathOf('allowed_fails'), fails.entry.keyAt, 'failures in a row are counted, not failures in a minute');
  return {
    failure_threshold: Math.trunc(fails?.value ?? defaults.allowedFails) + 1,
    cooldown_interval: seconds(Math.max(1, cooldown?.value ?? defaults.cooldownTime)),
  };
}

function cache(litellm: SourceSection, notes: Notes): Record<string, unknown> | undefined {
  const entry = litellm.take('cache');
  if (entry?.value.kind !== 'scalar' || entry.value.value !== true) return undefined;
  const path = litellm.pathOf('cache');
  const params = new SourceSection(litellm.pathOf('cache_params'), notes, [litellm.take('cache_params')?.value]);
  if (params.text('mode')?.value === 'default_off') {
    notes.unmapped(path, entry.keyAt, 'only requests that demand it are cached: add cache to a config for them');
    return undefined;
  }
  notes.different(path, entry.keyAt, 'each gateway keeps responses in its memory, for each key');
  const ttl = params.number('ttl');
  params.reportRemaining({ type: 'responses are kept in memory' });
  if (ttl === undefined) return { mode: 'simple' };
  if (ttl.value > longestMaxAge) notes.different(params.pathOf('ttl'), ttl.entry.keyAt, 'at most 90 days');
  return { mode: 'simple', max_age: Math.min(Math.max(1, Math.ceil(ttl.value)), longestMaxAge) };
}

function aliases(router: SourceSection, { groups, notes }: RouterParts): readonly (readonly [string, string])[] {
  const whole = router.take('model_group_alias');
  const path = router.pathOf('model_group_alias');
  if (whole !== undefined && whole.value.kind !== 'map') notes.unmapped(path, whole.keyAt, 'it is not a mapping');
  return entriesOf(whole?.value).flatMap(({ key, keyAt, value }) => {
    const one = `${path}.${key}`;
    const model = textOf(value) ?? hiddenModel(value, one, notes);
    if (model !== undefined && groups.has(model) && !groups.has(key)) return [[key, model] as const];
    notes.unmapped(
      one,
      keyAt,
      groups.has(key) ? 'model_list has an entry of this name' : 'no entry of model_list that was mapped has its name',
    );
    return [];
  });
}

/** The long form of an alias, which can hide the name from lists. */
function hiddenModel(node: Node, path: string, notes: Notes): string | undefined {
  if (node.kind !== 'map') return undefined;
  const section = new SourceSection(path, notes, [node]);
  const model = section.text('model')?.value;
  section.reportRemaining({ hidden: 'GET /v1/models lists the name' });
  return model;
}

const callbackKeys = ['callbacks', 'success_callback', 'failure_callback', 'service_callbacks'] as const;
const defaultReason = 'use the request log (docs/running.md) or a plugin (docs/plugins.md)';

/** Reports each callback with what to use in its place. */
export function reportCallbacks(litellm: SourceSection, notes: Notes): void {
  for (const key of callbackKeys) {
    const entry = litellm.take(key);
    if (entry === undefined) continue;
    const names = entry.value.kind === 'list' ? entry.value.items : [entry.value];
    for (const node of names) {
      const name = textOf(node) ?? '';
      const known = Object.hasOwn(callbacks, name) ? callbacks[name] : undefined;
      notes.unmapped(litellm.pathOf(key), node.at, known === undefined ? defaultReason : `${name}: ${known}`);
    }
  }
}

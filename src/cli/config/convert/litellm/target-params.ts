import type { SourceLocation } from '../../../../config/read/node.ts';
import type { Notes } from '../notes.ts';
import { firstNumber, type SourceSection } from '../section.ts';

/** Most retries that a target may have. */
const maxRetries = 5;

/** `retry.attempts` for a number of retries. A higher number is reported. */
export function attemptsOf(retries: number, path: string, at: SourceLocation, notes: Notes): number {
  if (retries > maxRetries) notes.different(path, at, `at most ${maxRetries} retries`);
  return Math.min(Math.trunc(retries), maxRetries);
}

/** LiteLLM's seconds as a duration. */
export const seconds = (value: number): string => (Number.isInteger(value) ? `${value}s` : `${Math.max(1, Math.round(value * 1000))}ms`);

/** Members of a target besides provider and model. */
export const targetParams = (params: SourceSection, notes: Notes): Record<string, unknown> => ({
  ...timesOf(params, notes),
  ...bodyParams(params, notes),
});

/** Parameters of a request that a deployment may set. */
const names = [
  'temperature',
  'top_p',
  'max_tokens',
  'max_completion_tokens',
  'presence_penalty',
  'frequency_penalty',
  'seed',
  'n',
  'reasoning_effort',
  'dimensions',
] as const;

/** `override_params` for the body of a request. */
function bodyParams(params: SourceSection, notes: Notes): { readonly override_params?: Record<string, unknown> } {
  const found: Record<string, unknown> = {};
  for (const name of names) {
    const entry = params.take(name);
    if (entry === undefined) continue;
    const { value } = entry;
    const isPlain = value.kind === 'scalar' && (typeof value.value === 'number' || /^[a-z]+$/.test(String(value.value)));
    if (!isPlain) notes.unmapped(params.pathOf(name), entry.keyAt, 'use override_params of the target');
    else {
      found[name] = value.value;
      notes.different(params.pathOf(name), entry.keyAt, 'override_params replaces the value of the request; in LiteLLM the request wins');
    }
  }
  return Object.keys(found).length === 0 ? {} : { override_params: found };
}

function timesOf(params: SourceSection, notes: Notes): Record<string, unknown> {
  const timeout = params.number('timeout');
  const attempts = firstNumber(
    [
      [params, 'num_retries'],
      [params, 'max_retries'],
    ],
    notes,
    (value, { keyAt }, path) => attemptsOf(value, path, keyAt, notes),
  );
  return {
    ...(timeout === undefined ? {} : { request_timeout: seconds(timeout.value) }),
    ...(attempts === undefined ? {} : { retry: { attempts } }),
  };
}

/** Unsupported parameters are always dropped and reported to the client. */
export function takeDropParams(section: SourceSection, notes: Notes): void {
  const entry = section.take('drop_params');
  if (entry?.value.kind === 'scalar' && entry.value.value === true) return;
  if (entry !== undefined) notes.different(section.pathOf('drop_params'), entry.keyAt, 'always on');
}

import { canonicalPrefix } from '../../../core/http/headers.ts';
import { isJsonObject } from '../../../core/json/merge.ts';
import type { TestRequest } from '../../../testing/test-case.ts';

/** A request that a config routes, and how the name of its test begins. */
export interface Sample {
  readonly label: string;
  readonly request: TestRequest;
}

/** Sample requests, and the conditions that have none, each with the reason. */
export interface Samples {
  readonly samples: readonly Sample[];
  readonly uncovered: readonly string[];
}

/** The model of a request whose model chooses nothing. */
const anyModel = 'gpt-4o-mini';

const messages = [{ role: 'user', content: 'Hello' }] as const;

export interface SampleContext {
  /** Name of the API key that sends the requests. */
  readonly key: string | undefined;
  /** True if labels need the name of the config. */
  readonly hasSeveralConfigs: boolean;
}

/** A request for each condition that compares the model or metadata with a text, and one for the default. */
export function samplesOf(config: string, content: Readonly<Record<string, unknown>>, { key, hasSeveralConfigs }: SampleContext): Samples {
  const sample = (label: string, model: string, metadata: Readonly<Record<string, string>> = {}): Sample => ({
    label,
    request: {
      config,
      ...(key === undefined ? {} : { key }),
      ...(Object.keys(metadata).length === 0 ? {} : { headers: { [`${canonicalPrefix}metadata`]: JSON.stringify(metadata) } }),
      body: { model, messages },
    },
  });
  const strategy = isJsonObject(content['strategy']) ? content['strategy'] : {};
  if (strategy['mode'] !== 'conditional') return { samples: [sample(config, anyModel)], uncovered: [] };
  const samples = new Map<string, Sample>();
  const add = (one: Sample): void => {
    const text = JSON.stringify(one.request);
    if (!samples.has(text)) samples.set(text, hasSeveralConfigs ? { ...one, label: `${config}, ${one.label}` } : one);
  };
  const uncovered: string[] = [];
  let hasMetadata = false;
  const conditions: readonly unknown[] = Array.isArray(strategy['conditions']) ? strategy['conditions'] : [];
  for (const [n, condition] of conditions.entries()) {
    const wanted = wantedValues(isJsonObject(condition) ? condition['query'] : undefined);
    if (wanted === undefined) uncovered.push(`configs.${config}.strategy.conditions[${n}]: not a comparison of the model or of metadata`);
    else {
      const { model, metadata } = wanted;
      const pairs = Object.entries(metadata).map(([name, value]) => `${name}=${value}`);
      hasMetadata ||= pairs.length > 0;
      add(sample([...(model === undefined ? [] : [model]), ...pairs].join(', '), model ?? anyModel, metadata));
    }
  }
  if (strategy['default'] !== undefined) add(sample(hasMetadata ? 'any other request' : 'any other model', 'another-model'));
  return { samples: [...samples.values()], uncovered };
}

interface WantedValues {
  readonly model: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Values that a query demands. Undefined if it demands something besides texts of the model and of metadata. */
function wantedValues(query: unknown): WantedValues | undefined {
  if (!isJsonObject(query)) return undefined;
  let model: string | undefined;
  const metadata: Record<string, string> = {};
  for (const [path, wanted] of Object.entries(query)) {
    const value = isJsonObject(wanted) && Object.keys(wanted).length === 1 ? wanted['$eq'] : wanted;
    const name = /^metadata\.(.+)$/.exec(path)?.[1];
    if (typeof value !== 'string') return undefined;
    const text = value.replaceAll('$${', () => '${');
    if (path === 'params.model') model = text;
    else if (name !== undefined) metadata[name] = text;
    else return undefined;
  }
  return model === undefined && Object.keys(metadata).length === 0 ? undefined : { model, metadata };
}

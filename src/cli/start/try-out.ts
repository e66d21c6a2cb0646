import type { Provider } from '../../core/provider.ts';

/** Configuration of the try-out mode. */
export interface TryOut {
  readonly text: string;
  /** Slug → variable of its key; undefined for the mock. */
  readonly providers: readonly { readonly slug: string; readonly from: string | undefined }[];
}

/** Configuration used without a file: the mock, and each service whose key is in the environment under its usual name. */
export function tryOutConfig(env: Readonly<Record<string, string | undefined>>, providers: readonly Provider[]): TryOut {
  const found = typesWithKeyIn(env, providers);
  const entries = found.map(({ type, variable }) => `  ${type}: ${JSON.stringify({ type, api_key: `\${env:${variable}}` })}\n`);
  return {
    text: `version: 1\nproviders:\n  mock: {type: mock}\n${entries.join('')}`,
    providers: [{ slug: 'mock', from: undefined }, ...found.map(({ type, variable }) => ({ slug: type, from: variable }))],
  };
}

/**
 * Provider types whose key is in the environment. Only `…_API_KEY` counts, since tokens under other names are often set
 * for other purposes.
 */
export function typesWithKeyIn(
  env: Readonly<Record<string, string | undefined>>,
  providers: readonly Provider[],
): readonly { readonly type: string; readonly variable: string }[] {
  return providers.flatMap(({ type, entry: { service } }) => {
    const variable = service?.keyVariable;
    return variable?.endsWith('_API_KEY') === true && env[variable] ? [{ type, variable }] : [];
  });
}

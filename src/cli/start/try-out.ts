import type { KnownService } from '../../gateway/types.ts';

/** A configuration for the first minute. */
export interface TryOut {
  readonly text: string;
  /** Slug → variable its key comes from; undefined for the mock. */
  readonly providers: readonly { readonly slug: string; readonly from: string | undefined }[];
}

/** What serves when there is no file: the mock, and each service whose key is in the environment under its usual name. */
export function tryOutConfig(env: Readonly<Record<string, string | undefined>>, services: readonly KnownService[]): TryOut {
  const found = servicesIn(env, services);
  const entries = found.map(({ name, type, host, settings, keyVariable }) => {
    const custom = host === undefined ? {} : { custom_host: host, ...settings };
    return `  ${name}: ${JSON.stringify({ type, ...custom, api_key: `\${env:${keyVariable}}` })}\n`;
  });
  return {
    text: `version: 1\nproviders:\n  mock: {type: mock}\n${entries.join('')}`,
    providers: [{ slug: 'mock', from: undefined }, ...found.map(({ name, keyVariable }) => ({ slug: name, from: keyVariable }))],
  };
}

/** Tokens of other names are in many environments for other reasons. */
export function servicesIn(env: Readonly<Record<string, string | undefined>>, services: readonly KnownService[]): readonly KnownService[] {
  return services.filter(({ keyVariable: name }) => name?.endsWith('_API_KEY') === true && env[name]);
}

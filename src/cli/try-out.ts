/** Keys that people have in their environment anyway, and the provider each of them opens. */
const wellKnown = [{ variable: 'OPENAI_API_KEY', slug: 'openai', type: 'openai' }] as const;

/** A configuration for the first minute. */
export interface TryOut {
  readonly text: string;
  /** Slug → variable its key comes from; undefined for the mock. */
  readonly providers: readonly { readonly slug: string; readonly from: string | undefined }[];
}

/** What serves when there is no file: the mock, and one provider for each well-known key in the environment. */
export function tryOutConfig(env: Readonly<Record<string, string | undefined>>): TryOut {
  const found = wellKnown.filter(({ variable }) => env[variable]);
  const entries = found.map(({ variable, slug, type }) => `  ${slug}: {type: ${type}, api_key: "\${env:${variable}}"}\n`);
  return {
    text: `version: 1\nproviders:\n  mock: {type: mock}\n${entries.join('')}`,
    providers: [{ slug: 'mock', from: undefined }, ...found.map(({ slug, variable }) => ({ slug, from: variable }))],
  };
}

/** The token endpoints and the token scope for a host. */
export interface Cloud {
  /** Base URL of the token endpoints. */
  readonly authority: string;
  /** Default scope of a token. */
  readonly scope: string;
}

/** Authorities by the ending of the host. The first one, of the public cloud, is the default. */
const clouds = {
  com: 'https://login.microsoftonline.com',
  us: 'https://login.microsoftonline.us',
  cn: 'https://login.chinacloudapi.cn',
} as const;

/**
 * Returns the cloud of a base URL, from the last labels of its host. Any other host belongs to the public cloud. Paths of Foundry
 * projects and endpoints of single models have different scopes.
 */
export function cloudOf(origin: string | undefined, path = ''): Cloud {
  const host = origin !== undefined && URL.canParse(origin) ? new URL(origin).hostname : '';
  const top = /\.azure(?:-api)?\.(us|cn)$/.exec(host)?.[1] as 'us' | 'cn' | undefined;
  const suffix = top ?? 'com';
  return { authority: clouds[suffix], scope: `https://${serviceOf(host, path)}.azure.${suffix}/.default` };
}

function serviceOf(host: string, path: string): string {
  if (path.includes('/api/projects/')) return 'ai';
  return /\.(?:models\.ai|inference\.ml)\.azure\.(?:com|us|cn)$/.test(host) ? 'ml' : 'cognitiveservices';
}

/** Where tokens for a host come from, and what they are for. */
export interface Cloud {
  /** Base URL of the token endpoints. */
  readonly authority: string;
  /** Default scope of a token. */
  readonly scope: string;
}

/** The national clouds by the end of their hosts; the first is the one for everything else. */
const clouds = {
  com: 'https://login.microsoftonline.com',
  us: 'https://login.microsoftonline.us',
  cn: 'https://login.chinacloudapi.cn',
} as const;

/**
 * The cloud of a base URL, by the last labels of its host; a host of somebody else belongs to the public one. Paths of
 * foundry projects, and endpoints of single models, have scopes of their own.
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

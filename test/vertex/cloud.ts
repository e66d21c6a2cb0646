import { generateKeyPairSync } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { json, type ScriptedUpstream, type SeenRequest, startUpstream } from '../support/upstream.ts';
import { type ParsedRequest, invalid, Refusal } from './parsed-request.ts';
import { Jobs } from './jobs.ts';
import { Objects } from './objects.ts';

/** Token endpoint, object storage and jobs of one project in one region, refusing what the real ones refuse. */
export interface Cloud {
  readonly upstream: ScriptedUpstream;
  readonly objects: Objects;
  readonly jobs: Jobs;
  /** Key file of the account that may do everything. */
  readonly account: string;
  /** Answers in place of the cloud, where it says true. */
  interrupt: ((ask: ParsedRequest, response: ServerResponse) => boolean) | undefined;
  /** `METHOD path` of every request since the last call, tokens left out. */
  takeRequests(): string[];
}

const project = 'acme-ml';
const region = 'europe-west1';
const token = 'ya29.of-the-account';
/** A caller's own, who sees the same things. */
export const callersToken = 'ya29.of-the-caller';

export async function startCloud(): Promise<Cloud> {
  const upstream = await startUpstream((response, request) => serve(cloud, response, request));
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const account = JSON.stringify({
    type: 'service_account',
    project_id: project,
    client_email: `gateway@${project}.example`,
    private_key: privateKey,
    private_key_id: 'k1',
    token_uri: `${upstream.url}/token`,
  });
  const objects = new Objects(['acme-data', 'acme-more', 'foreign']);
  const cloud: Cloud = {
    upstream,
    objects,
    jobs: new Jobs(objects, `projects/${project}/locations/${region}`),
    account,
    interrupt: undefined,
    takeRequests() {
      const lines = upstream.requests.filter(({ url }) => url !== '/token').map(({ method, url }) => `${method} ${url}`);
      upstream.requests.length = 0;
      return lines;
    },
  };
  return cloud;
}

function serve(cloud: Cloud, response: ServerResponse, request: SeenRequest): void {
  if (request.url === '/token') {
    json(response, 200, { access_token: token, expires_in: 3599, token_type: 'Bearer' });
    return;
  }
  const url = new URL(request.url, 'http://cloud.example');
  const parsedRequest: ParsedRequest = {
    method: request.method,
    path: url.pathname,
    query: url.searchParams,
    request,
    body: () => parsed(request.body.toString('utf8')),
  };
  if (cloud.interrupt?.(parsedRequest, response) === true) return;
  try {
    respond(cloud, parsedRequest, response);
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    json(response, thrown.code, { error: { code: thrown.code, message: thrown.message, status: thrown.status } });
  }
}

function respond(cloud: Cloud, parsed: ParsedRequest, response: ServerResponse): void {
  const bearer = parsed.request.headers.authorization;
  if (bearer !== `Bearer ${token}` && bearer !== `Bearer ${callersToken}`) {
    throw new Refusal(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.');
  }
  if (parsed.path.startsWith('/gcs/')) {
    cloud.objects.answer({ ...parsed, path: parsed.path.slice('/gcs'.length) }, response);
    return;
  }
  const basePath = `/ai/v1/projects/${project}/locations/${region}/`;
  if (!parsed.path.startsWith(basePath)) {
    // A wrong host or path is answered by whatever is in front.
    response.writeHead(404, { 'content-type': 'text/html' }).end('<html>404</html>');
    return;
  }
  json(response, 200, cloud.jobs.answer({ ...parsed, path: parsed.path.slice(basePath.length) }));
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw invalid('Invalid JSON payload received.');
  }
}

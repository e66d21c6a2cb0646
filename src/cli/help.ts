import { errorCatalogue } from '../core/error.ts';

/** Pages of `gateway help <topic>`. */
export const topics = { config, secrets, errors, signals };

function config(): string {
  return `The configuration is the first of these files that there is:
  --config FILE, $GATEWAY_CONFIG, ./gateway.yaml, /etc/gateway/gateway.yaml

The smallest useful one:
  version: 1
  providers:
    openai: {type: openai, api_key: "\${env:OPENAI_API_KEY}"}

Clients then send requests to http://127.0.0.1:8787/v1 with the model "@openai/gpt-4o-mini".
A change of the file, of a file it includes, or of a secret file is picked up while the gateway runs. A bad change is
reported and changes nothing. See what is wrong with a file:
  $ gateway check
`;
}

function secrets(): string {
  return `Secrets are written as references and never printed:
  \${env:NAME}            an environment variable; unset or empty is an error
  \${env:NAME:-text}      with a default
  \${file:/path}          the content of a file; watched, so a rotated secret is picked up

Keys of the gateway's own callers are kept as hashes. This issues one and prints its entry:
  $ gateway keys create my-app
  api_keys:
    my-app: {hash: "sha256:…"}
`;
}

function errors(): string {
  const rows = Object.entries(errorCatalogue).map(([code, { status, about }]) => `  ${code.padEnd(22)} ${status}  ${about}\n`);
  return `Error answers carry one of these codes in error.code; the status is the usual one:\n${rows.join('')}`;
}

function signals(): string {
  return `SIGHUP           read the configuration again now
SIGTERM, SIGINT  stop: /readyz says 503 at once, new requests are refused after server.drain.delay, running answers
                 have until server.drain.timeout; exit code 0
a second one     ends at once; exit code 143 or 130

Exit codes: 0 done · 1 the answer is no · 2 wrong usage · 3 the configuration is invalid · 130, 143 ended by a signal
`;
}

import { errorCatalogue } from '../core/error.ts';
import { nearest } from '../core/text/nearest.ts';
import { filterHelp } from '../query/help.ts';
import type { CliCommand } from './builders.ts';
import type { CliIo } from './io.ts';

/** Pages of `gateway help <topic>`. */
const topics = { config, secrets, errors, filters: filterHelp, signals };
export const helpTopics: readonly string[] = Object.keys(topics);

function config(): string {
  return `The configuration is the first of these files that exists:
  --config FILE, $GATEWAY_CONFIG, ./gateway.yaml, /etc/gateway/gateway.yaml

A minimal one:
  version: 1
  providers:
    openai: {type: openai, api_key: "\${env:OPENAI_API_KEY}"}

Clients then send requests to http://127.0.0.1:8787/v1 with the model "@openai/gpt-4o-mini".
The gateway reloads the file, the files it includes and secret files when they change. If the new version is invalid, the
gateway reports it and keeps serving the old one. Validate a file:
  $ gateway check
`;
}

function secrets(): string {
  return `Secrets are written as references and never printed:
  \${env:NAME}            an environment variable; unset or empty is an error
  \${env:NAME:-text}      with a default
  \${file:/path}          the content of a file; watched, so a rotated secret is picked up

API keys of the gateway are stored as hashes. This issues one and prints its configuration:
  $ gateway keys create my-app
  api_keys:
    my-app: {hash: "sha256:…"}
`;
}

function errors(): string {
  const width = Math.max(...Object.keys(errorCatalogue).map((code) => code.length));
  const rows = Object.entries(errorCatalogue).map(([code, { status, about }]) => `  ${code.padEnd(width)} ${status}  ${about}\n`);
  return `Error responses have one of these codes in error.code; the number is its default status:\n${rows.join('')}`;
}

function signals(): string {
  return `SIGHUP           read the configuration again now
SIGTERM, SIGINT  stop: /readyz returns 503 at once; after server.drain.delay, no new connections are accepted, and requests
                 on open ones may take until server.drain.timeout; exit code 0
a second signal  stop at once; exit code 143 or 130

Exit codes: 0 success · 1 the check or command failed, or nothing was found · 2 wrong usage · 3 the configuration is invalid
            4 the running gateway is not reachable · 5 not allowed · 129, 130, 143 ended by a signal
`;
}

function noHelp(names: readonly string[], meant: string | undefined): string {
  const guess = meant === undefined ? '' : `\n(Did you mean ${meant}?)`;
  return `error: no help on "${names.join(' ')}"; available: ${Object.keys(topics).join(', ')}, and each command${guess}`;
}

/** `gateway help [TOPIC]`: shows a topic, or the help of a command or subcommand. */
export function addHelp(program: CliCommand, io: CliIo): void {
  program
    .command('help')
    .description(`explain a command, or one of: ${Object.keys(topics).join(', ')}`)
    .argument('[topic...]')
    .action((path: string[]) => {
      const [topic = ''] = path;
      if (path.length === 1 && Object.hasOwn(topics, topic)) return void io.stdout.write(topics[topic as keyof typeof topics]());
      let found: CliCommand | undefined = program;
      let names: readonly string[] = Object.keys(topics);
      for (const name of path) {
        const { commands }: CliCommand = found;
        names = [...(found === program ? names : []), ...commands.map((one) => one.name())];
        found = commands.find((one) => one.name() === name);
        if (found === undefined) return program.error(noHelp(path, nearest(name, names)));
      }
      return found.outputHelp();
    });
}

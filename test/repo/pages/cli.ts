import type { Argument, Command, Option } from 'commander';
import { providers, stages } from '../../../plugins/index.ts';
import { createProgram } from '../../../src/cli/index.ts';
import { processIo } from '../../../src/cli/io.ts';

const variables = [
  ['GATEWAY_CONFIG', 'path of the configuration file'],
  ['GATEWAY_ADMIN', 'address of the admin listener, for commands that connect to a running gateway'],
  ['GATEWAY_ADMIN_TOKEN', 'token for the admin listener, used before the token in the configuration or in the state directory'],
  ['GATEWAY_API_KEY', 'API key of the gateway for `gateway replay`'],
  ['NO_COLOR', 'any value: no colors, like `--no-color`'],
  ['NODE_EXTRA_CA_CERTS', 'file with further certificate authorities ([Connections to providers](running.md#connections-to-providers))'],
] as const;

/** docs/cli.md: every command with its arguments and options, from the tree that parses them. */
export function cliPage(): string {
  const program = createProgram(processIo(), { providers, stages }, () => undefined);
  return [
    '# Commands',
    '```sh\nnpm run gateway -- check --format short\n```',
    'In a clone, `npm run gateway -- COMMAND` runs a command; in an installed package, `gateway COMMAND`, or `gw COMMAND` for short. Options common to most commands: `--config FILE` sets the configuration file (default: `$GATEWAY_CONFIG`, then `./gateway.yaml`, then `/etc/gateway/gateway.yaml`), `--json` prints JSON on standard output, also the errors of an invalid configuration.',
    'Exit codes: 0 success, 1 the check or command failed, 2 wrong usage, 3 the configuration is invalid, 4 the running gateway cannot be reached, 5 not allowed, 129, 130 and 143 ended by a signal.',
    'Completion of commands, options and file names: for bash add `source <(gateway completion bash)` to `~/.bashrc`, for zsh write `gateway completion zsh` to the file `_gateway` in a folder of `fpath`, for fish to `~/.config/fish/completions/gateway.fish`.',
    `## Environment variables\n\n| Variable | Meaning |\n|---|---|\n${variables.map(([name, meaning]) => `| \`${name}\` | ${meaning} |`).join('\n')}`,
    `## Options of every command\n\n${optionTable(program.createHelp().visibleOptions(program).map(optionRow))}`,
    ...leaves(program, 'gateway').map(section),
  ]
    .join('\n\n')
    .concat('\n');
}

interface Leaf {
  readonly name: string;
  readonly command: Command;
}

/** The commands that do something, in the order of the help; a group is not one. */
function leaves(command: Command, name: string): Leaf[] {
  return command.commands.flatMap((inner) => {
    const path = `${name} ${inner.name()}`;
    return inner.commands.length === 0 ? [{ name: path, command: inner }] : leaves(inner, path);
  });
}

function section({ name, command }: Leaf): string {
  const args = command.registeredArguments;
  const usage = [name, ...args.map(shown), ...(command.options.length === 0 ? [] : ['[options]'])].join(' ');
  const rows = [
    ...args.filter(({ description }) => description !== '').map((one) => `| \`${shown(one)}\` | ${one.description} |`),
    ...command.options.filter((option) => !option.hidden).map(optionRow),
  ];
  const table = rows.length === 0 ? [] : [optionTable(rows)];
  return [`## ${name}`, `\`${usage}\``, sentence(command.description()), ...table].join('\n\n');
}

const optionTable = (rows: readonly string[]): string => `| Argument or option | Meaning |\n|---|---|\n${rows.join('\n')}`;

const shown = (one: Argument): string => {
  const name = `${one.name()}${one.variadic ? '...' : ''}`;
  return one.required ? `<${name}>` : `[${name}]`;
};

function optionRow(option: Option): string {
  const choices = option.argChoices === undefined ? '' : ` (${option.argChoices.join(', ')})`;
  const preset = typeof option.defaultValue === 'string' ? `; default: ${option.defaultValue}` : '';
  return `| \`${option.flags.replaceAll('|', '\\|')}\` | ${(option.description + choices + preset).replaceAll('|', '\\|')} |`;
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;

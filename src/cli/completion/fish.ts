import type { Flag, CommandNode, ValueKind } from './tree.ts';

/** Completion script for fish 3 and newer. */
export function fishScript(nodes: readonly CommandNode[]): string {
  const optionsWithValue = nodes.flatMap(({ path, flags }) =>
    flags.filter(({ value }) => value !== undefined).flatMap(({ names }) => names.map((name) => `${path}:${name}`)),
  );
  const commands = nodes.flatMap(({ path, commands: inner }) => inner.map(({ text }) => `${path}:${text}`));
  return `# Completion of gateway for fish, printed by: gateway completion fish

# True if this word follows a command as an option with a value.
function __gateway_takes_value
${isOneOf(optionsWithValue)}
end

# True if this word follows a command as a subcommand.
function __gateway_is_command
${isOneOf(commands)}
end

# True if the words before the cursor name this command.
function __gateway_at
    set -l at ''
    set -l is_value no
    for word in (commandline -opc)[2..-1]
        if test $is_value = yes
            set is_value no
        else if string match -q -- '-*' $word
            if __gateway_takes_value "$at:$word"
                set is_value yes
            end
        else if __gateway_is_command "$at:$word"
            set at (string trim -- "$at $word")
        end
    end
    test "$at" = "$argv[1]"
end

complete -c gateway -e
complete -c gateway -f
complete -c gw -e
complete -c gw -w gateway
${nodes.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ path, commands, flags, argument }: CommandNode): string[] {
  const lead = `complete -c gateway -n ${fishQuoted(`__gateway_at ${fishQuoted(path)}`)}`;
  return [
    ...commands.map(({ text, about }) => `${lead} -a ${text} -d ${fishQuoted(about)}`),
    ...flags.map((flag) => `${lead} ${namesOf(flag)}${valueOf(flag.value)} -d ${fishQuoted(flag.about)}`),
    ...(argument === undefined || argument === 'any' ? [] : [`${lead}${argument === 'file' ? ' -F' : proposed(argument)}`]),
  ];
}

const namesOf = ({ names }: Flag): string =>
  names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`)).join(' ');

/** `-r`: a value follows. `-F`: files. `-x`: a value follows, and no files. */
function valueOf(value: ValueKind | undefined): string {
  if (value === undefined) return '';
  return value === 'file' ? ' -r -F' : value === 'any' ? ' -x' : ` -x${proposed(value)}`;
}

const proposed = (choices: readonly string[]): string => ` -a ${fishQuoted(choices.join(' '))}`;

const isOneOf = (texts: readonly string[]): string => `    contains -- "$argv[1]" ${texts.map(fishQuoted).join(' ')}`;

/** A text in single quotes. */
const fishQuoted = (text: string): string => `'${text.replaceAll(/['\\]/g, '\\$&')}'`;

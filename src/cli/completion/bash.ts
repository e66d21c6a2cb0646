import type { CommandNode, ValueKind } from './tree.ts';
import { shellQuote } from '../../core/logs/curl.ts';

/** Completion script for bash 3.2 and newer. It needs no other package. */
export function bashScript(nodes: readonly CommandNode[]): string {
  return `# Completion of gateway for bash, printed by: gateway completion bash

# Commands that may follow a command.
_gateway_commands() {
  case $1 in
${cases(nodes, ({ path, commands }) => [[[path], commands.map(({ text }) => text)]])}
    *) REPLY= ;;
  esac
}

# Options of a command.
_gateway_flags() {
  case $1 in
${cases(nodes, ({ path, flags }) => [[[path], flags.flatMap(({ names }) => names)]])}
    *) REPLY= ;;
  esac
}

# Value of an option of a command: its choices, @file, @any, or nothing.
_gateway_value() {
  case $1 in
${cases(nodes, ({ path, flags }) => flags.map(({ names, value }) => [names.map((name) => `${path}:${name}`), value]))}
    *) REPLY= ;;
  esac
}

# Argument of a command, in the same form.
_gateway_argument() {
  case $1 in
${cases(nodes, ({ path, argument }) => [[[path], argument]])}
    *) REPLY= ;;
  esac
}

${completer}`;
}

/** The part that is the same for all commands: reads the words before the cursor, and proposes the next one. */
const completer = `# Proposes a value. $2 is what the word has before it.
_gateway_propose() {
  local word
  case $1 in
    @any) ;;
    @file)
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do COMPREPLY+=("$2$word"); done < <(compgen -f -- "$cur")
      ;;
    *) COMPREPLY+=($(compgen -P "$2" -W "$1" -- "$cur")) ;;
  esac
}

_gateway() {
  local cur=\${COMP_WORDS[COMP_CWORD]} at= value= only= word i IFS=$' \\t\\n' REPLY
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    # bash makes three words of --option=value.
    if [[ $word == '=' ]]; then continue; fi
    if [[ -n $value ]]; then value=; continue; fi
    if [[ -n $only ]]; then continue; fi
    case $word in
      --) only=yes ;;
      -*) _gateway_value "$at:$word"; value=$REPLY ;;
      *)
        _gateway_commands "$at"
        if [[ " $REPLY " == *" $word "* ]]; then at="\${at:+$at }$word"; fi
        ;;
    esac
  done
  if [[ $cur == '=' ]]; then cur=; fi
  if [[ -n $value ]]; then
    _gateway_propose "$value"
  elif [[ -z $only && $cur == --*=* ]]; then
    # Where COMP_WORDBREAKS has no equals sign.
    word=\${cur%%=*}=
    cur=\${cur#*=}
    _gateway_value "$at:\${word%=}"
    _gateway_propose "\${REPLY:-@any}" "$word"
  elif [[ -z $only && $cur == -* ]]; then
    _gateway_flags "$at"
    _gateway_propose "$REPLY"
  else
    if [[ -z $only ]]; then _gateway_commands "$at"; _gateway_propose "$REPLY"; fi
    _gateway_argument "$at"
    _gateway_propose "\${REPLY:-@any}"
  fi
}

complete -F _gateway gateway gw
`;

type BashBranch = readonly [keys: readonly string[], value: ValueKind | undefined];

/** Branches of a `case`; rows without a value have none. */
function cases(nodes: readonly CommandNode[], rowsOf: (place: CommandNode) => readonly BashBranch[]): string {
  return nodes
    .flatMap(rowsOf)
    .filter(([, value]) => value !== undefined && value.length > 0)
    .map(([keys, value]) => {
      const text = typeof value === 'string' ? `@${value}` : (value ?? []).join(' ');
      return `    ${keys.map(shellQuote).join(' | ')}) REPLY=${shellQuote(text)} ;;`;
    })
    .join('\n');
}

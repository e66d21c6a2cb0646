import { type CommandNode, type ValueKind, type Suggestion } from './tree.ts';
import { shellQuote } from '../../core/logs/curl.ts';

/** Completion script for zsh. It works when it is sourced, and as the file `_gateway` in a folder of `fpath`. */
export function zshScript(nodes: readonly CommandNode[]): string {
  return `#compdef gateway gw
# Completion of gateway for zsh, printed by: gateway completion zsh

# Commands that may follow a command, with their descriptions.
_gateway_commands() {
  case $1 in
${cases(nodes, ({ path, commands }) => [[[path], described(commands)]])}
    *) reply=() ;;
  esac
}

# Options of a command, with their descriptions.
_gateway_flags() {
  case $1 in
${cases(nodes, ({ path, flags }) => [[[path], described(flags.flatMap(({ names, about }) => names.map((text) => ({ text, about }))))]])}
    *) reply=() ;;
  esac
}

# Value of an option of a command: its choices, @file, @any, or nothing.
_gateway_value() {
  case $1 in
${cases(nodes, ({ path, flags }) => flags.map(({ names, value }) => [names.map((name) => `${path}:${name}`), texts(value)]))}
    *) reply=() ;;
  esac
}

# Argument of a command, in the same form.
_gateway_argument() {
  case $1 in
${cases(nodes, ({ path, argument }) => [[[path], texts(argument)]])}
    *) reply=() ;;
  esac
}

${completer}`;
}

/** The part that is the same for all commands: reads the words before the cursor, and proposes the next one. */
const completer = `# Proposes a value.
_gateway_propose() {
  case $1 in
    '' | @any) ;;
    @file) _files ;;
    *) compadd -- "$@" ;;
  esac
}

_gateway() {
  local at= only= word i
  local -a reply value shown
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    if (( $#value )); then value=(); continue; fi
    if [[ -n $only ]]; then continue; fi
    case $word in
      --) only=yes ;;
      -*) _gateway_value "$at:$word"; value=("\${reply[@]}") ;;
      *)
        _gateway_commands "$at"
        if (( \${reply[(I)$word:*]} )); then at="\${at:+$at }$word"; fi
        ;;
    esac
  done
  if (( $#value )); then
    _gateway_propose "\${value[@]}"
  elif [[ -z $only && $PREFIX == --*=* ]]; then
    _gateway_value "$at:\${PREFIX%%=*}"
    compset -P 1 '*='
    _gateway_propose "\${reply[@]}"
  elif [[ -z $only && $PREFIX == -* ]]; then
    _gateway_flags "$at"
    shown=("\${reply[@]}")
    _describe -o option shown
  else
    if [[ -z $only ]]; then
      _gateway_commands "$at"
      shown=("\${reply[@]}")
      if (( $#shown )); then _describe -t commands command shown; fi
    fi
    _gateway_argument "$at"
    _gateway_propose "\${reply[@]}"
  fi
}

if [[ \${funcstack[1]} == _gateway ]]; then _gateway "$@"; else compdef _gateway gateway gw; fi
`;

const described = (suggestions: readonly Suggestion[]): string[] => suggestions.map(({ text, about }) => `${text}:${about}`);

const texts = (value: ValueKind | undefined): readonly string[] => (typeof value === 'string' ? [`@${value}`] : (value ?? []));

type ZshBranch = readonly [keys: readonly string[], words: readonly string[]];

/** Branches of a `case`; rows without words have none. */
function cases(nodes: readonly CommandNode[], rowsOf: (place: CommandNode) => readonly ZshBranch[]): string {
  return nodes
    .flatMap(rowsOf)
    .filter(([, words]) => words.length > 0)
    .map(([keys, words]) => `    ${keys.map(shellQuote).join(' | ')}) reply=(${words.map(shellQuote).join(' ')}) ;;`)
    .join('\n');
}

import { isJsonObject } from '../../core/json/merge.ts';
import { printable } from '../../core/text/printable.ts';
import { promptName, type PromptVersion, type StoredPrompt } from '../../core/model/prompt.ts';
import { fittingTable } from '../fitting-table.ts';

/**
 * One line per version with the columns name, labels, model, config and variables.
 * @param mask applied to each cell: part of a secret would not be found in a truncated one
 * @param width columns of the terminal; undefined for unlimited width
 */
export function listedPrompts(prompts: readonly StoredPrompt[], mask: (text: string) => string, width: number | undefined): string {
  const rows = prompts.flatMap((prompt) =>
    [...prompt.versions.values()].toSorted((a, b) => a.number - b.number).map((one) => rowOf(prompt, one).map(mask)),
  );
  return fittingTable([['PROMPT', 'NAMES', 'MODEL', 'CONFIG', 'VARIABLES'], ...rows], {
    width,
    removable: ['CONFIG', 'MODEL', 'VARIABLES'],
    flexible: ['NAMES', 'VARIABLES'],
  });
}

function rowOf(prompt: StoredPrompt, version: PromptVersion): string[] {
  const labels = [...prompt.labels].flatMap(([label, { number }]) => (number === version.number ? [label] : []));
  const names = [...(prompt.published.number === version.number ? ['published'] : []), ...labels];
  return [promptName(version), names.join(', ') || '-', version.model ?? '-', version.config ?? '-', variablesOf(version)];
}

/** For example `product!, tone=friendly, count:number`; `!` marks a required variable. */
function variablesOf({ variables, reads }: PromptVersion): string {
  const declared = [...variables].map(([name, { type, required, default: defaultValue }]) => {
    const kind = type === undefined || type === 'string' ? '' : `:${type}`;
    const defaultText =
      defaultValue === undefined ? '' : `=${typeof defaultValue === 'string' ? defaultValue : JSON.stringify(defaultValue)}`;
    return `${name}${required ? '!' : ''}${kind}${defaultText}`;
  });
  const others = variables.size > 0 ? [] : [...reads];
  return [...declared, ...others].join(', ') || '-';
}

/** The conversation as text. Parts that are not text are shown as JSON. */
export function renderedPrompt(version: PromptVersion, body: Readonly<Record<string, unknown>>): string {
  const { messages, model, ...parameters } = body;
  const facts = [
    promptName(version),
    ...(typeof model === 'string' ? [`model ${model}`] : []),
    ...(version.config === undefined ? [] : [`config ${version.config}`]),
  ];
  const settings = Object.entries(parameters).map(([key, value]) => printable(`${key}: ${JSON.stringify(value)}`));
  const texts = (Array.isArray(messages) ? messages : []).map(messageText);
  return `${[printable(facts.join(' · ')), ...settings].join('\n')}\n${texts.join('')}`;
}

function messageText(message: unknown): string {
  if (!isJsonObject(message)) return '';
  const { role, content, ...rest } = message;
  const parts = Array.isArray(content) ? (content as readonly unknown[]) : content === undefined || content === null ? [] : [content];
  const lines = parts.map((part) => {
    const text = isJsonObject(part) && part['type'] === 'text' && typeof part['text'] === 'string' ? part['text'] : part;
    return typeof text === 'string' ? text.split('\n').map(printable).join('\n  ').trimEnd() : printable(JSON.stringify(text));
  });
  if (Object.keys(rest).length > 0) lines.push(printable(JSON.stringify(rest)));
  return `\n${printable(String(role))}\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

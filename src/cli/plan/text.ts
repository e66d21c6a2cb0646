import { printable } from '../../core/text/printable.ts';
import { plural } from '../../core/text/wording.ts';
import { table, truncate } from '../text.ts';
import type { ReloadPlan, Routing } from './routing.ts';

interface PlanTextOptions {
  readonly file: string;
  /** Name of the configuration compared with, for messages. */
  readonly against: string;
  readonly format: 'text' | 'markdown';
  /** True if that configuration is the one in use by a gateway. */
  readonly isRunning: boolean;
  /** Columns of the terminal. */
  readonly width?: number | undefined;
}

/** A plan as text for a terminal, or as markdown for a comment on a pull request. */
export function planText(plan: ReloadPlan, { file, against, format, isRunning, width = Infinity }: PlanTextOptions): string {
  const isMarkdown = format === 'markdown';
  const block = (kind: string, text: string): string => (isMarkdown ? fenced(kind, text) : text);
  const parts = [`${isMarkdown ? '### gateway plan\n\n' : ''}comparing ${printable(file)} with ${printable(against)}\n`];
  const changes = changeLines(plan, width);
  if (changes !== '') parts.push(block('', changes));
  if (plan.diff !== '') parts.push(block('diff', lines(plan.diff)));
  if (plan.routing !== null) parts.push(block('', routingText(plan.routing)));
  return `${parts.join('\n')}\n${summary(plan, isRunning)}\n`;
}

/** A code block. Its fence is longer than any in the text, such as that of a prompt with code. */
function fenced(kind: string, text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${kind}\n${text}${fence}\n`;
}

/** The lines without terminal control characters. */
const lines = (text: string): string => text.split('\n').map(printable).join('\n');

function changeLines({ values, restart_needed: restart }: ReloadPlan, width: number): string {
  const rows = values.map((change) => [`  ${signOf(change)} ${change.path}`, valueText(change)]);
  const text = table([...rows, ...restart.map((key) => [`  ! ${key}`, 'needs a restart'])]);
  return text.replaceAll(/.+/g, (line) => truncate(line, width));
}

type ValueChange = ReloadPlan['values'][number];

const signOf = ({ before, after }: ValueChange): '+' | '-' | '~' => (before === null ? '+' : after === null ? '-' : '~');

function valueText({ before, after }: ValueChange): string {
  if (before === after) return '(value changed, not shown)';
  return [before, after].filter((value) => value !== null).join(' → ');
}

function routingText({ requests, same, moved, rejected, unknown }: Routing): string {
  const counted = (count: number, what: string): string => `${String(count).padStart(7)}  ${printable(what)}\n`;
  return [
    `routing of the last ${plural(requests, 'recorded request')} under this file:\n`,
    counted(same, 'same first target'),
    ...moved.map((one) => counted(one.requests, `${one.from} → ${one.to}   (${configs(one.configs)})`)),
    ...(rejected.length === 0 ? [counted(0, 'would now be rejected')] : []),
    ...rejected.map((one) => counted(one.requests, `would now be rejected: ${one.code} (${one.message})`)),
    ...(unknown === 0 ? [] : [counted(unknown, 'not compared: the log lacks data that decides the route')]),
  ].join('');
}

const configs = (names: readonly string[]): string => (names.length === 1 ? `all config ${names[0]}` : `configs ${names.join(', ')}`);

function summary({ values, restart_needed: restart, diff }: ReloadPlan, isRunning: boolean): string {
  const count = (sign: string): number => values.filter((change) => signOf(change) === sign).length;
  if (values.length === 0 && restart.length === 0) return diff === '' ? 'no changes' : 'no changes of values';
  const kinds = [plural(count('~'), 'change'), plural(count('+'), 'addition'), plural(count('-'), 'removal')].join(', ');
  return `${kinds}.${isRunning ? ' Applied when the file is saved.' : ''}${restart.length === 0 ? '' : ` Restart needed for ${restart.length}.`}`;
}

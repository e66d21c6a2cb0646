import { limitsText } from '../../core/limits/limits-text.ts';
import type { Difference, Explanation, ExplainedTarget, Origin, RouteNode } from '../../core/logs/explanation.ts';
import { printable } from '../../core/text/printable.ts';
import { fittingLength, textWidth } from '../text.ts';

/** One line: a label, a text, and the location in the configuration. */
interface ExplanationLine {
  readonly label: string;
  readonly text: string;
  readonly at?: Origin | null | undefined;
  /** Never wrapped, so that it can be copied from the terminal. */
  readonly isWhole?: boolean;
}

/** Width of the label, in columns. */
const labels = 11;
const narrowest = 40;

/** Formats an explanation as text that fits the terminal. */
export function explanationText(explanation: Explanation, width: number): string {
  const lines = [
    ...headLines(explanation),
    ...explanation.route.flatMap(routeLines),
    ...explanation.targets.flatMap((one, at) => targetLines(one, at, explanation.targets)),
    ...tailLines(explanation),
  ];
  return lines.map((line) => fitted(line, Math.max(narrowest, width))).join('');
}

function headLines({ request, key, limits, prompt, config, overruled }: Explanation): ExplanationLine[] {
  return [
    { label: 'request', text: `${request.method} ${request.path}` },
    ...(key.name === null ? [] : [{ label: 'key', text: `API key "${key.name}"`, at: key.at }]),
    ...(limits === null ? [] : [{ label: 'limits', text: limitsText(limits), at: limits.at }]),
    ...(prompt === null ? [] : [{ label: 'prompt', text: `${prompt.id}@${prompt.version}` }]),
    config === null ? { label: 'config', text: 'none' } : { label: 'config', text: `"${config.name}" from ${config.by}`, at: config.at },
    ...overruled.map(({ choice, value, by }) => ({ label: 'overruled', text: `${choice}: ${value}, by ${by}` })),
  ];
}

function routeLines({ node, strategy, at, conditions, chose, weights, because }: RouteNode): ExplanationLine[] {
  const target = chose === null ? '' : ` → target ${chose}`;
  const shares = weights.length === 0 ? '' : ` (weights ${weights.join(' / ')})`;
  return [
    { label: 'route', text: `${node}: ${strategy}${shares}${target}: ${because}`, at },
    ...conditions.map((one) => ({ label: '', text: `${one.matched ? '✓' : '✗'} ${one.text}: ${one.why}`, at: one.at })),
  ];
}

function targetLines(one: ExplainedTarget, at: number, all: readonly ExplainedTarget[]): ExplanationLine[] {
  const name = one.model === '' ? one.provider : `${one.provider}/${one.model}`;
  const lines: ExplanationLine[] = [{ label: `target ${positionOf(one, at)}`, text: `${name}   ${whenText(one, at, all)}`, at: one.at }];
  const add = (label: string, text: string, origin?: Origin | null): void => void lines.push({ label: `  ${label}`, text, at: origin });
  if (one.problem !== null) add('problem', one.problem);
  if (one.local) add('sends', 'nothing: it responds without a network');
  if (one.url !== null) lines.push({ label: '  url', text: `${one.method ?? ''} ${one.url}`, isWhole: true });
  for (const [header, value] of one.headers) add('header', `${header}: ${value}`);
  one.differences.forEach((difference, index) => add(index === 0 ? 'body' : '', differenceText(difference), difference.at));
  if (one.url !== null && one.differences.length === 0) add('body', one.body === null ? 'none that can be shown' : 'as the client sent it');
  if (one.retry !== 'none') add('retry', one.retry);
  if (one.cache !== null) add('cache', one.cache);
  if (one.circuit !== null) add('circuit', one.circuit);
  const timeouts = Object.entries(one.timeouts).map(([name, time]) => `${name} ${time}`);
  if (one.goes_here && timeouts.length > 0) add('timeouts', timeouts.join(' · '));
  if (one.cost_usd !== null) add('cost', `about $${one.cost_usd} for the input`);
  return lines;
}

/**
 * Position of a target as in the route lines: `1`, or `1.0` inside a config used as a target. Without a config, the
 * number of the attempt.
 */
function positionOf({ target }: ExplainedTarget, at: number): string {
  const indexes = [...target.matchAll(/\.targets\[(\d+)\]/g)].map(([, place]) => place);
  return indexes.length === 0 ? String(at) : indexes.join('.');
}

function whenText(one: ExplainedTarget, at: number, all: readonly ExplainedTarget[]): string {
  if (one.goes_here) return '← goes here';
  if (one.left_on.startsWith('left')) return one.left_on;
  if (one.url === null && !one.local) return one.problem === null ? `left out: ${one.left_on}` : 'not possible';
  const before = all[at - 1];
  return before === undefined
    ? ''
    : `if target ${positionOf(before, at - 1)} ends in ${before.goes_here || before.local || before.url !== null ? before.left_on : 'an error'}`;
}

const marks = { added: '+', removed: '-', changed: '~', moved: '>' } as const;

/** One difference on one line. */
export function differenceText({ kind, path, from, before, after, cause }: Difference): string {
  const mark = marks[kind];
  const origin = cause === '' ? '' : `  from ${cause}`;
  switch (kind) {
    case 'added':
      return `${mark} ${path}  ${short(after)}${origin}`;
    case 'removed':
      return `${mark} ${path}${cause === '' ? '' : `  ${cause}`}`;
    case 'changed':
      return `${mark} ${path}  ${short(before)} → ${short(after)}${origin}`;
    case 'moved':
      return `${mark} ${path}  was ${from ?? ''}  by ${cause}`;
    default:
      return kind satisfies never;
  }
}

/** Longest value in a line, in characters. */
const longest = 60;

const short = (value: string | undefined): string =>
  value === undefined ? '' : value.length <= longest ? value : `${value.slice(0, longest - 1).toWellFormed()}…`;

function tailLines({ removed_headers: removed, plugins, warnings, log, answer }: Explanation): ExplanationLine[] {
  const chain = [...new Set(plugins.map(({ name }) => name))];
  return [
    ...removed.map(({ name, why }, at) => ({ label: at === 0 ? 'not sent' : '', text: `header ${name}: ${why}` })),
    ...(chain.length === 0 ? [] : [{ label: 'plugins', text: chain.join(' → ') }]),
    { label: 'log', text: `bodies: ${log.bodies}`, at: log.at },
    ...warnings.map((text) => ({ label: 'warning', text })),
    ...(answer === null ? [] : responseLines(answer)),
  ];
}

function responseLines({ status, code, message, hint }: NonNullable<Explanation['answer']>): ExplanationLine[] {
  const head = { label: 'responds', text: `${status}${code === null ? '' : ` ${code}`}: ${message}` };
  return hint === null ? [head] : [head, { label: '', text: hint }];
}

/** Puts the location at the right edge if there is space, otherwise on the next line. */
function fitted({ label, text, at, isWhole }: ExplanationLine, width: number): string {
  const location = at === null || at === undefined ? '' : `${at.file}:${at.line}`;
  const rows = isWhole === true ? [printable(text)] : wrapped(printable(text), width - labels);
  const last = rows.at(-1) ?? '';
  const space = width - labels - textWidth(last) - textWidth(location);
  const out = rows.map((row, index) => `${(index === 0 ? printable(label) : '').padEnd(labels - 1)} ${row}`);
  if (location !== '' && space >= 2) out[out.length - 1] += `${' '.repeat(space)}${location}`;
  else if (location !== '') out.push(location.padStart(Math.min(width, Math.max(width, location.length))));
  return out.map((row) => `${row.trimEnd()}\n`).join('');
}

/** Wraps at blanks, or anywhere if there are none. */
function wrapped(text: string, width: number): string[] {
  const rows: string[] = [];
  let rest = text;
  for (let end = fittingLength(rest, width); end < rest.length; end = fittingLength(rest, width)) {
    const blank = rest.lastIndexOf(' ', end);
    const cut = blank > end / 2 ? blank : end;
    rows.push(rest.slice(0, cut));
    rest = rest.slice(cut).replace(/^ /, '');
  }
  return [...rows, rest];
}

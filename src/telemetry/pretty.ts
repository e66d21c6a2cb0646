import { styleText } from 'node:util';
import { printable } from '../core/text/printable.ts';

const colors = { debug: 'dim', info: 'cyan', warn: 'yellow', error: 'red' } as const;

/** Formats a JSON line of the log for people: `09:31:07  warn   message  key=value`, with the stack of an error below. */
export function prettyLine(json: string, clockTime: (ms: number) => string, isColored: boolean): string {
  const { level, time, msg, err, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const name = String(level).padEnd(5);
  const color = colors[String(level) as keyof typeof colors];
  const levelText = isColored && color !== undefined ? styleText(color, name, { validateStream: false }) : name;
  const rest = Object.entries(fields).map(([key, value]) => `  ${key}=${toText(value)}`);
  return `${clockTime(Date.parse(String(time)))}  ${levelText}  ${printable(String(msg ?? ''))}${rest.join('')}\n${stackOf(err)}`;
}

function toText(value: unknown): string {
  if (typeof value === 'string' && value !== '' && !/[\s"=]/.test(value)) return printable(value);
  return printable(JSON.stringify(value));
}

/** Indents each line by four spaces, to distinguish the stack from lines of the log. */
function stackOf(err: unknown): string {
  if (typeof err !== 'object' || err === null) return '';
  const { stack, message } = err as { stack?: unknown; message?: unknown };
  const text = String(stack ?? message ?? '');
  return text === ''
    ? ''
    : `${text
        .split('\n')
        .map((line) => `    ${printable(line.trim())}\n`)
        .join('')}`;
}

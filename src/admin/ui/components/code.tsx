import type { ComponentChildren } from 'preact';
import { CopyButton } from './button.tsx';

/** Longer text is truncated on screen, because its layout would take seconds. Copying still copies all of it. */
const maxShownLength = 300_000;

interface CodeProps {
  readonly text: string;
  readonly language?: 'json' | 'yaml' | 'diff' | 'text';
  readonly what?: string;
  /** Shows line numbers, starting with this one. */
  readonly firstLine?: number;
  /** Line to highlight. */
  readonly marked?: number;
}

/** Preformatted text. It is never interpreted as HTML. */
export function Code({ text, language = 'text', what = 'text', firstLine, marked }: CodeProps) {
  const shown = text.length > maxShownLength ? text.slice(0, maxShownLength) : text;
  return (
    <div class="code">
      <pre tabIndex={0} aria-label={what}>
        <code class={language === 'diff' || firstLine !== undefined ? 'lines' : undefined}>
          {firstLine !== undefined
            ? numbered(shown, firstLine, marked)
            : language === 'diff'
              ? diffLines(shown)
              : language === 'json'
                ? jsonParts(shown)
                : shown}
        </code>
      </pre>
      {shown.length < text.length && <p class="small muted">Only the beginning is shown; Copy copies all of it.</p>}
      <div class="copy">
        <CopyButton text={text} what={what} />
      </div>
    </div>
  );
}

const numbered = (text: string, first: number, marked: number | undefined): ComponentChildren =>
  text.split('\n').map((line, i) => {
    const content = (
      <>
        <span class="number">{first + i}</span>
        <span>{`${line}\n`}</span>
      </>
    );
    return first + i === marked ? (
      <mark key={i} class="line">
        {content}
      </mark>
    ) : (
      <span key={i} class="line">
        {content}
      </span>
    );
  });

/** The names of the files are no changes. */
const diffClass = (line: string): string | undefined =>
  /^(?:---|\+\+\+) /.test(line) ? 'file-name' : line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : undefined;

const diffLines = (text: string): ComponentChildren =>
  text.split('\n').map((line, i) => (
    <span key={i} class={diffClass(line)}>
      {`${line}\n`}
    </span>
  ));

/** Longer text is not coloured, because it would need too many elements. */
const maxHighlightedLength = 40_000;
/** The beginning of JSON, which the log may have cut. */
const jsonStart = /^\s*(?:[{"\d-]|\[\s*(?:[[\]{"\d-]|true|false|null)|true|false|null)/;
const jsonToken = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/g;

function jsonParts(text: string): ComponentChildren {
  if (text.length > maxHighlightedLength || !jsonStart.test(text)) return text;
  const out: ComponentChildren[] = [];
  let at = 0;
  for (const match of text.matchAll(jsonToken)) {
    const [all, string, colon, other] = match;
    if (match.index > at) out.push(text.slice(at, match.index));
    const kind = other !== undefined ? 'j-other' : colon !== undefined ? 'j-key' : 'j-text';
    out.push(
      <span key={match.index} class={kind}>
        {other ?? string}
      </span>,
    );
    if (colon !== undefined) out.push(colon);
    at = match.index + all.length;
  }
  out.push(text.slice(at));
  return out;
}

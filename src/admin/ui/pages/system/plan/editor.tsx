import type { ComponentChildren, Ref } from 'preact';
import { useId, useRef } from 'preact/hooks';
import type { ShownDiagnostic } from '../../../../api-types.ts';

interface EditorProps {
  readonly label: string;
  readonly text: string;
  /** Problems of this text. Their lines are marked. */
  readonly diagnostics: readonly ShownDiagnostic[];
  readonly onInput: (text: string) => void;
  readonly areaRef: Ref<HTMLTextAreaElement>;
}

/** A text area with line numbers. Long lines scroll and do not wrap, so that each number belongs to one line. */
export function Editor({ label, text, diagnostics, onInput, areaRef }: EditorProps) {
  const id = useId();
  const gutter = useRef<HTMLDivElement>(null);
  return (
    <div class="editor">
      <label class="hidden-text" for={id}>
        {label}
      </label>
      <div class="gutter" ref={gutter} aria-hidden="true">
        {lineNumbers(text.split('\n').length, diagnostics)}
      </div>
      <textarea
        id={id}
        ref={areaRef}
        value={text}
        wrap="off"
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        onInput={(event) => onInput(event.currentTarget.value)}
        onScroll={(event) => gutter.current?.scrollTo({ top: event.currentTarget.scrollTop })}
      />
    </div>
  );
}

/** Elements only for marked lines, because a file may have many thousand lines. */
function lineNumbers(lines: number, diagnostics: readonly ShownDiagnostic[]): ComponentChildren {
  const levels = new Map<number, ShownDiagnostic['level']>();
  for (const { line, level } of diagnostics) if (line <= lines && levels.get(line) !== 'error') levels.set(line, level);
  const numbers = (from: number, to: number): string => Array.from({ length: to - from }, (_, i) => from + i).join('\n');
  const marked = [...levels].toSorted(([a], [b]) => a - b);
  return [
    ...marked.flatMap(([line, level], i) => [
      numbers((marked[i - 1]?.[0] ?? 0) + 1, line),
      <span key={line} class={level}>
        {line}
      </span>,
    ]),
    numbers((marked.at(-1)?.[0] ?? 0) + 1, lines + 1),
  ];
}

/** Moves the caret to a position, and scrolls it to the middle. Lines and columns start at 1. */
export function placeCaret(area: HTMLTextAreaElement | null, line: number, column: number): void {
  if (area === null) return;
  const lines = area.value.split('\n');
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  const end = before + (lines[line - 1]?.length ?? 0);
  area.focus();
  area.setSelectionRange(Math.min(end, before + column - 1), end);
  area.scrollTop = ((line - 0.5) * area.scrollHeight) / lines.length - area.clientHeight / 2;
}

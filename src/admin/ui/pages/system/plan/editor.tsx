import type { Ref } from 'preact';
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
  const levels = new Map<number, ShownDiagnostic['level']>();
  for (const { line, level } of diagnostics) if (levels.get(line) !== 'error') levels.set(line, level);
  const lines = text.split('\n').length;
  return (
    <div class="editor">
      <label class="hidden-text" for={id}>
        {label}
      </label>
      <div class="gutter" ref={gutter} aria-hidden="true">
        {Array.from({ length: lines }, (_, i) => (
          <span key={i} class={levels.get(i + 1)}>
            {i + 1}
          </span>
        ))}
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

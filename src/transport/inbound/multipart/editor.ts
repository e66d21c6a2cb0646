import type { FormEdit } from '../../../core/http/form.ts';
import { LineRewriter } from '../../../core/json/lines.ts';
import { lineEndLength, type SizedPart, rejectRepeatedField } from './fields.ts';
import { invalidForm, type PartHead, writeHead } from './head.ts';
import type { FormPiece } from './scanner.ts';

/** What an editor knows about the form in advance. */
export interface EditorContext {
  readonly boundary: string;
  readonly lineEnd: string;
  /** Names of the text fields read so far: all of them if the form is buffered. */
  readonly known: ReadonlySet<string>;
  readonly isBuffered: boolean;
}

/** Rewrites a form piece by piece: a delimiter is held back until it is known whether its part is kept. */
export class FormEditor {
  readonly #edit: FormEdit;
  readonly #facts: EditorContext;
  readonly #written = new Set<string>();
  #delimiter: Buffer = Buffer.alloc(0);
  #hasFile = false;
  /** What is done with the content of the current part. */
  #content: 'pass' | 'replaced' | 'drop' | LineRewriter = 'drop';

  /** @throws GatewayError `invalid_form` for a value that contains the boundary */
  constructor(edit: FormEdit, facts: EditorContext) {
    this.#edit = edit;
    this.#facts = facts;
    for (const [name, value] of edit.fields) {
      if (value?.includes(`--${facts.boundary}`) === true) throw invalidForm(`The value of "${name}" contains the boundary of the form.`);
    }
  }

  /** Bytes of an incomplete line. */
  get bufferedBytes(): number {
    return this.#content instanceof LineRewriter ? this.#content.bufferedBytes : 0;
  }

  /** @throws GatewayError of a line edit; `invalid_form` */
  write(piece: FormPiece, out: Buffer[]): void {
    switch (piece.kind) {
      case 'outside':
        out.push(piece.bytes);
        return;
      case 'delimiter':
        this.#endPart(piece.bytes.subarray(0, lineEndLength(piece.bytes)), out);
        this.#delimiter = piece.bytes.subarray(lineEndLength(piece.bytes));
        if (piece.isLast) {
          if (!this.#hasFile) this.#addMissing(out);
          out.push(this.#delimiter);
        }
        return;
      case 'head':
        this.#content = piece.part.isFile ? this.#file(piece.bytes, out) : this.#field(piece.part, piece.bytes, out);
        return;
      case 'body':
        if (this.#content === 'pass') out.push(piece.bytes);
        else if (this.#content instanceof LineRewriter) out.push(...this.#content.push(piece.bytes));
        return;
      default:
        return piece satisfies never;
    }
  }

  #file(head: Buffer, out: Buffer[]): 'pass' | LineRewriter {
    const isFirst = !this.#hasFile;
    this.#hasFile = true;
    if (isFirst) this.#addMissing(out);
    out.push(this.#delimiter, head);
    return isFirst && this.#edit.line !== undefined ? new LineRewriter(this.#edit.line, this.#edit.isReadOnly) : 'pass';
  }

  #field({ name }: PartHead, head: Buffer, out: Buffer[]): 'pass' | 'replaced' | 'drop' {
    const isEdited = this.#edit.fields.has(name);
    const { known, isBuffered } = this.#facts;
    if (!isBuffered && this.#hasFile && known.has(name) && isEdited) rejectRepeatedField(name);
    const value = this.#edit.fields.get(name);
    if (isEdited && (value === undefined || this.#written.has(name))) return 'drop';
    out.push(this.#delimiter, head);
    if (value === undefined) return 'pass';
    this.#written.add(name);
    out.push(Buffer.from(value, 'utf8'));
    return 'replaced';
  }

  /** @param lead the line end before the next delimiter; a part without content may have none */
  #endPart(lead: Buffer, out: Buffer[]): void {
    if (this.#content instanceof LineRewriter) out.push(...this.#content.end());
    if (this.#content === 'replaced') out.push(Buffer.from(this.#facts.lineEnd));
    else if (this.#content !== 'drop') out.push(lead);
    this.#content = 'drop';
  }

  #addMissing(out: Buffer[]): void {
    const { boundary, lineEnd, known } = this.#facts;
    const delimiter = Buffer.from(`--${boundary}${lineEnd}`, 'latin1');
    for (const [name, value] of this.#edit.fields) {
      if (value === undefined || known.has(name)) continue;
      this.#written.add(name);
      out.push(delimiter, Buffer.from(writeHead(name, lineEnd) + value + lineEnd, 'utf8'));
    }
  }
}

/** Returns the length of a form with edited fields; undefined if it is not known before the end. */
export function editedLength(
  edit: FormEdit,
  size: number | undefined,
  parts: readonly SizedPart[],
  facts: EditorContext,
): number | undefined {
  if (size === undefined || (edit.line !== undefined && edit.isReadOnly !== true)) return undefined;
  let length = size;
  for (const [name, value] of edit.fields) {
    const occurrences = parts.filter((part) => !part.isFile && part.name === name);
    if (!facts.isBuffered && occurrences.length === 0) return undefined;
    for (const part of occurrences) length -= part.delimiter + part.head + part.body + part.lineEnd;
    if (value !== undefined) length += lengthOfField(name, value, occurrences[0], facts);
  }
  return length;
}

function lengthOfField(name: string, value: string, part: SizedPart | undefined, { boundary, lineEnd }: EditorContext): number {
  const delimiter = part?.delimiter ?? Buffer.byteLength(`--${boundary}${lineEnd}`, 'latin1');
  const head = part?.head ?? Buffer.byteLength(writeHead(name, lineEnd), 'utf8');
  return lineEnd.length + delimiter + head + Buffer.byteLength(value, 'utf8');
}

import type { MemoryReservation } from '../../../core/memory/budget.ts';
import { isBatchInput } from '../../../core/json/batch-file.ts';
import type { FormBody, FormBytes, FormContent, FormEdit, FormFile, FormPart, LineEdit } from '../../../core/http/form.ts';
import { GatewayError } from '../../../core/error.ts';
import { LineRewriter } from '../../../core/json/lines.ts';
import { joinRuns } from '../../../core/memory/byte-pieces.ts';
import { bodyTooLarge, type SizeLimit } from '../body/size-limit.ts';
import type { ClientBodyReader } from './client-body-reader.ts';
import { type EditorContext, editedLength, FormEditor } from './editor.ts';
import { FormFields } from './fields.ts';
import { FirstLine } from './first-line.ts';
import { invalidForm, type PartHead } from './head.ts';
import { FormBuffer } from './buffered-form.ts';
import { contentTypeOddity } from './oddities.ts';
import { FormScanner, type FormPiece } from './scanner.ts';

/** Maximum size of the parts before the first file, in bytes. */
const frontLimit = 8 * 1024 * 1024;

const noEdit: FormEdit = Object.freeze({ fields: new Map() });

export interface IncomingFormParts {
  readonly contentType: string;
  readonly boundary: string;
  /** From content-length. */
  readonly declared: number | undefined;
  readonly source: ClientBodyReader;
  /** Size limit of the form if it is buffered. */
  readonly maxBody: number;
  /** Timeout for the part that is read before anything is sent, in milliseconds. */
  readonly bodyTimeout: number;
  /** Counts the memory used. */
  readonly hold: MemoryReservation;
  /** Directory for temporary files. */
  readonly dir: string;
  /** The form is an upload whose lines may have to be rewritten. */
  readonly isUpload: boolean;
}

/** A form that arrives from the client. It is read up to its first file at once; the rest when it is sent or buffered. */
export class IncomingForm implements FormBody {
  readonly kind = 'form';
  readonly contentType: string;
  isSpent = false;
  readonly #parts: IncomingFormParts;
  readonly #source: ClientBodyReader;
  readonly #scanner: FormScanner;
  readonly #fields: FormFields;
  readonly #firstLine = new FirstLine();
  #size: number | undefined;
  /** Data that was read but not passed on: as pieces, and as chunks. */
  #pieces: FormPiece[] = [];
  #chunks: Buffer[] = [];
  #buffered: FormBuffer | undefined;

  constructor(parts: IncomingFormParts) {
    this.#parts = parts;
    this.contentType = parts.contentType;
    this.#source = parts.source;
    this.#scanner = new FormScanner(parts.boundary);
    this.#fields = new FormFields(parts.isUpload);
    this.#size = parts.declared;
    parts.source.limitMs = parts.bodyTimeout;
  }

  get fields(): ReadonlyMap<string, string> {
    return this.#fields.values;
  }

  get partsRead(): readonly FormPart[] {
    return this.#fields.seen;
  }

  get ambiguity(): string | undefined {
    return contentTypeOddity(this.contentType) ?? this.#scanner.oddity;
  }

  get file(): FormFile | undefined {
    const { file } = this.#fields;
    return file === undefined || this.#firstLine.text === undefined ? file : { ...file, firstLine: this.#firstLine.text };
  }

  get size(): number | undefined {
    return this.#size;
  }

  get received(): number {
    return this.#source.count;
  }

  get isBuffered(): boolean {
    return this.#buffered !== undefined;
  }

  /**
   * Reads up to the head of the first file; for a batch, also its first line. A form that has arrived completely by
   * then is buffered.
   * @throws GatewayError `invalid_form`, `body_too_large`, `timeout`
   */
  async begin(): Promise<void> {
    while (this.file === undefined && !this.#scanner.isClosed) {
      const chunk = await this.#source.next();
      if (chunk === undefined) this.#scanner.end();
      else this.#addChunk(chunk);
      if (this.received > frontLimit && this.file === undefined) {
        throw invalidForm(`The part of the form before the file is larger than ${frontLimit} bytes.`);
      }
    }
    while (this.#parts.isUpload && !this.#scanner.isClosed && !this.#firstLine.isSettled && isBatchInput(this)) {
      const chunk = await this.#source.next();
      if (chunk === undefined) this.#scanner.end();
      else this.#addChunk(chunk);
    }
    if (this.#scanner.isClosed) await this.buffer();
  }

  async buffer(): Promise<void> {
    if (this.#buffered !== undefined) return;
    if (this.isSpent) throw new Error('a form that is on its way cannot be held');
    const limit: SizeLimit = { bytes: this.#parts.maxBody, setting: this.#parts.isUpload ? 'server.max_upload' : 'server.max_body' };
    if (this.#size !== undefined && this.#size > limit.bytes) throw bodyTooLarge(limit, this.#size);
    if (this.received > limit.bytes) throw bodyTooLarge(limit, undefined);
    this.#source.limit = limit;
    const { hold } = this.#parts;
    const buffered = new FormBuffer(this.#parts.dir, hold);
    try {
      hold.set(0);
      for (const chunk of this.#chunks.splice(0)) await buffered.add(chunk);
      this.#pieces = [];
      for (let chunk = await this.#source.next(); chunk !== undefined; chunk = await this.#source.next()) {
        this.#scan(chunk);
        await buffered.add(chunk);
      }
      this.#scanner.end();
    } catch (error) {
      await buffered.close();
      throw error;
    }
    this.#size = buffered.size;
    this.#buffered = buffered;
  }

  async contents(): Promise<readonly FormContent[]> {
    if (this.#buffered === undefined) throw new Error('the form is not held');
    const parts: { part: PartHead; chunks: Buffer[] }[] = [];
    for await (const pieces of this.#batches()) {
      for (const piece of pieces) {
        if (piece.kind === 'head') parts.push({ part: piece.part, chunks: [] });
        else if (piece.kind === 'body') parts.at(-1)?.chunks.push(piece.bytes);
      }
    }
    return parts.map(({ part: { name, isFile, filename, contentType }, chunks }) => ({
      name,
      isFile,
      filename,
      contentType,
      bytes: Buffer.concat(chunks),
    }));
  }

  open(): FormBytes {
    if (this.#buffered !== undefined)
      return { chunks: this.#buffered.chunks(), length: this.#buffered.size, contentType: this.contentType };
    // Parsed nevertheless, to detect a form that ends within a part.
    return this.edited(noEdit);
  }

  edited(edit: FormEdit): FormBytes {
    const facts = this.#facts();
    const length = editedLength(edit, this.#size, this.#fields.parts, facts);
    return { chunks: this.#rewritten(new FormEditor(edit, facts), edit.check), length, contentType: this.contentType };
  }

  fileBytes(line?: LineEdit): FormBytes {
    const filePart = this.#fields.parts.find((part) => part.isFile);
    if (filePart === undefined) throw missingFile();
    const length = this.isBuffered && line === undefined ? filePart.body : undefined;
    const contentType = filePart.contentType ?? 'application/octet-stream';
    return { chunks: this.#fileContent(line === undefined ? undefined : new LineRewriter(line)), length, contentType };
  }

  /** Stops reading; a waiting read is rejected. */
  stop(): void {
    this.#source.stop(new Error('the request is over'));
  }

  /** The request has ended: releases all resources of the form. */
  async close(): Promise<void> {
    this.stop();
    this.#pieces = [];
    this.#chunks = [];
    await this.#buffered?.close();
    this.#parts.hold.close();
  }

  #addChunk(chunk: Buffer): void {
    this.#parts.hold.take(chunk.length);
    this.#chunks.push(chunk);
    this.#pieces.push(...this.#scan(chunk));
  }

  #scan(chunk: Buffer): FormPiece[] {
    const pieces = this.#scanner.push(chunk);
    for (const piece of pieces) {
      this.#fields.add(piece);
      if (this.#parts.isUpload) this.#firstLine.add(piece);
    }
    return pieces;
  }

  /** Counts an incomplete line that is being rewritten. The memory of a buffered form is already counted. */
  #reserveLine(bytes: number): void {
    if (this.#buffered === undefined) this.#parts.hold.set(bytes);
  }

  #facts(): EditorContext {
    const known = new Set<string>();
    for (const part of this.#fields.parts) if (!part.isFile) known.add(part.name);
    return { boundary: this.#parts.boundary, lineEnd: this.#scanner.lineEnd, known, isBuffered: this.isBuffered };
  }

  /** Yields the form in batches of pieces, one per read. Possible only once if it is not buffered. */
  async *#batches(): AsyncGenerator<readonly FormPiece[]> {
    if (this.#buffered !== undefined) {
      const scanner = new FormScanner(this.#parts.boundary);
      for await (const chunk of this.#buffered.chunks()) yield scanner.push(chunk);
      return;
    }
    if (this.isSpent) throw new Error('a form that is on its way is sent again');
    this.isSpent = true;
    this.#source.limitMs = Number.POSITIVE_INFINITY;
    this.#parts.hold.set(0);
    this.#chunks = [];
    yield this.#pieces.splice(0);
    for (let chunk = await this.#source.next(); chunk !== undefined; chunk = await this.#source.next()) yield this.#scan(chunk);
    this.#scanner.end();
    this.#size = this.received;
  }

  async *#rewritten(editor: FormEditor, check: (() => void) | undefined): AsyncGenerator<Buffer> {
    for await (const pieces of this.#batches()) {
      const out: Buffer[] = [];
      for (const piece of pieces) editor.write(piece, out);
      this.#reserveLine(editor.bufferedBytes);
      check?.();
      yield* joinRuns(out);
    }
  }

  /** Reads to the end of the form after the file, so that a truncated form is detected before the last byte is sent. */
  async *#fileContent(lines: LineRewriter | undefined): AsyncGenerator<Buffer> {
    let files = 0;
    let isOpen = false;
    for await (const pieces of this.#batches()) {
      const out: Buffer[] = [];
      for (const piece of pieces) {
        if (piece.kind === 'delimiter') {
          if (isOpen && lines !== undefined) out.push(...lines.end());
          isOpen = false;
        } else if (piece.kind === 'head' && piece.part.isFile) {
          files += 1;
          isOpen = files === 1;
        } else if (piece.kind === 'body' && isOpen) {
          if (lines === undefined) out.push(piece.bytes);
          else out.push(...lines.push(piece.bytes));
        }
      }
      if (lines !== undefined) this.#reserveLine(lines.bufferedBytes);
      yield* joinRuns(out);
    }
  }
}

function missingFile(): GatewayError {
  return new GatewayError('invalid_form', {
    message: 'The form contains no file.',
    param: 'file',
    hint: 'Send the file in the field "file".',
  });
}

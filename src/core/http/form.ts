/**
 * A multipart form (RFC 7578) on its way through. What is before its first file is known; the rest may still be on
 * the wire, and is read when the form is sent. Immutable but for how far it was read.
 */
export interface FormBody {
  readonly kind: 'form';
  /** As sent, boundary included. */
  readonly contentType: string;
  /** Text fields read so far, the last of each name; all of them once the form is held. Long ones (256 KB) only pass. */
  readonly fields: ReadonlyMap<string, string>;
  /** Every part that was read so far, in order: files as soon as they begin, texts as soon as they end. */
  readonly seen: readonly FormPart[];
  /**
   * What of it parsers read differently, as far as it was read: the rest of a sentence that begins with `the form`.
   * Undefined for forms as libraries and browsers write them.
   */
  readonly oddity: string | undefined;
  /** The head of the first file, as soon as it was met. */
  readonly file: FormFile | undefined;
  /** Whole length in bytes; undefined for a chunked body that was not read to its end. */
  readonly size: number | undefined;
  /** Bytes that came from the client so far. */
  readonly received: number;
  /** It was read to its end, in memory or in a temporary file, so it can be sent more than once. */
  readonly isBuffered: boolean;
  /** It is not held, and bytes of it went out: it can't be sent again. */
  readonly isSpent: boolean;
  /** Reads it to its end. @throws GatewayError `body_too_large`, `timeout`, `invalid_form` */
  hold(): Promise<void>;
  /** Every part of a form that is held, files included. */
  contents(): Promise<readonly FormContent[]>;
  /** The bytes as they came. */
  open(): FormBytes;
  /** The form written with changes; everything that is not changed keeps its bytes. */
  edited(edit: FormEdit): FormBytes;
  /** The bytes of its first file alone. */
  fileBytes(line?: LineEdit): FormBytes;
}

/** A field or a file of a form. */
export interface FormPart {
  readonly name: string;
  readonly isFile: boolean;
  /** Of a field that is not longer than 256 KB. */
  readonly text: string | undefined;
}

/** A field or a file with all of its bytes. */
export interface FormContent {
  readonly name: string;
  readonly isFile: boolean;
  readonly filename: string | undefined;
  readonly contentType: string | undefined;
  readonly bytes: Buffer;
}

export interface FormFile {
  /** Name of the form field. */
  readonly field: string;
  readonly filename: string | undefined;
  readonly contentType: string | undefined;
  /** Of a file of batch lines, where it is not longer than 64 KB: without its end, a byte order mark included. */
  readonly firstLine?: string | undefined;
}

/** A body that is produced while it is sent. */
export interface FormBytes {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Bytes; undefined where nobody knows before the end. */
  readonly length: number | undefined;
  readonly contentType: string;
}

export interface FormEdit {
  /**
   * Text fields to write anew in their place, `undefined` to take them out; names that the form lacks are put before the
   * first file. A name that is there several times is written once. Of a form that is not held only the part before
   * the first file is known: what follows under a name that was added is left out.
   */
  readonly fields: ReadonlyMap<string, string | undefined>;
  /** Writes the lines of the first file anew. */
  readonly line?: LineEdit;
  /** `line` only looks: it gives each line back as it came, or throws. No byte of the file changes. */
  readonly looksOnly?: true;
  /** Asked each time that more of the form was read, before that goes on. @throws GatewayError ends the upload */
  readonly check?: () => void;
}

/** One line without its end in, one out; `undefined` takes it out. Called in order. @throws GatewayError ends the upload */
export type LineEdit = (line: string, index: number) => string | undefined;

/** What goes upstream of a client's form. */
export type FormUpstream =
  /** The form itself, changed where `edit` says so. */
  | { readonly kind: 'form'; readonly form: FormBody; readonly edit: FormEdit | undefined }
  /** Its first file alone, as the whole body. */
  | { readonly kind: 'file'; readonly form: FormBody; readonly line: LineEdit | undefined };

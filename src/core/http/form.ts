/**
 * A multipart form (RFC 7578) that is being forwarded. The part before its first file is known; the rest may not have
 * arrived yet, and is read when the form is sent. Immutable except for the read position.
 */
export interface FormBody {
  readonly kind: 'form';
  /** As sent, including the boundary. */
  readonly contentType: string;
  /** Text fields read so far, the last value of each name; all of them once the form is buffered. Long values (256 KB) are not included. */
  readonly fields: ReadonlyMap<string, string>;
  /** Every part read so far, in order: files once they begin, text fields once they end. */
  readonly partsRead: readonly FormPart[];
  /**
   * The first ambiguity that parsers read differently, as far as the form was read: completes the sentence `the form
   * …`. Undefined for forms as client libraries and browsers write them.
   */
  readonly ambiguity: string | undefined;
  /** The head of the first file, once it was read. */
  readonly file: FormFile | undefined;
  /** Total length in bytes; undefined for a chunked body that was not read completely. */
  readonly size: number | undefined;
  /** Bytes received from the client so far. */
  readonly received: number;
  /** The form was read completely, into memory or a temporary file, so it can be sent more than once. */
  readonly isBuffered: boolean;
  /** The form is not buffered, and bytes of it were sent: it can't be sent again. */
  readonly isSpent: boolean;
  /** Reads and buffers the whole form. @throws GatewayError `body_too_large`, `timeout`, `invalid_form` */
  buffer(): Promise<void>;
  /** Returns every part of a buffered form, including files. */
  contents(): Promise<readonly FormContent[]>;
  /** Returns the unchanged bytes. */
  open(): FormBytes;
  /** Returns the form with changes; all that is not changed keeps its bytes. */
  edited(edit: FormEdit): FormBytes;
  /** Returns the bytes of the first file only. */
  fileBytes(line?: LineEdit): FormBytes;
}

/** A field or a file of a form. */
export interface FormPart {
  readonly name: string;
  readonly isFile: boolean;
  /** Value of a field that is not longer than 256 KB. */
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
  /** For a file of batch lines: its first line if it is not longer than 64 KB, without the line end, including a byte order mark. */
  readonly firstLine?: string | undefined;
}

/** A body that is generated while it is sent. */
export interface FormBytes {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Length in bytes; undefined if it is not known in advance. */
  readonly length: number | undefined;
  readonly contentType: string;
}

export interface FormEdit {
  /**
   * Text fields to rewrite in place, or to remove if `undefined`; names that the form lacks are added before the first
   * file. A name that occurs several times is written once. In a form that is not buffered, only the part before the
   * first file is known: a later field with the name of an added one is removed.
   */
  readonly fields: ReadonlyMap<string, string | undefined>;
  /** Rewrites the lines of the first file. */
  readonly line?: LineEdit;
  /** `line` only inspects: it returns each line unchanged, or throws. The file stays the same. */
  readonly isReadOnly?: true;
  /** Called whenever more of the form was read, before that is sent. @throws GatewayError to abort the upload */
  readonly check?: () => void;
}

/** Maps one line without its end to another one; `undefined` removes it. Called in order. @throws GatewayError to abort the upload */
export type LineEdit = (line: string, index: number) => string | undefined;

/** The part of a client's form that is sent upstream. */
export type FormUpstream =
  /** The form itself, with the changes in `edit`. */
  | { readonly kind: 'form'; readonly form: FormBody; readonly edit: FormEdit | undefined }
  /** Only its first file, as the whole body. */
  | { readonly kind: 'file'; readonly form: FormBody; readonly line: LineEdit | undefined };

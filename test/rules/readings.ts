/**
 * What parsers in use read of each spelling: the values of every field whose name holds "model", undefined where they refuse
 * the form. Measured with undici 7.29 (Node 24), python-multipart 0.0.34 under Starlette 1.10, Werkzeug 3.1.9 and Go 1.26.
 */
export interface Readings {
  readonly undici: readonly string[] | undefined;
  readonly starlette: readonly string[] | undefined;
  readonly werkzeug: readonly string[] | undefined;
  readonly go: readonly string[] | undefined;
}

/** By the name of the spelling. */
export const readings: Readonly<Record<string, Readings>> = {
  'name*': {
    undici: ['model=small-1', 'model=forbidden-7b'],
    starlette: ['model=small-1'],
    werkzeug: ['model=small-1', 'model=forbidden-7b'],
    go: ['model=forbidden-7b', 'model=small-1'],
  },
  'name* first': {
    undici: ['model=small-1'],
    starlette: ['model=small-1'],
    werkzeug: ['model=small-1'],
    go: ['model=forbidden-7b', 'model=small-1'],
  },
  'name* alone': {
    undici: ['model=small-1', 'model=forbidden-7b'],
    starlette: undefined,
    werkzeug: ['model=small-1', 'model=forbidden-7b'],
    go: ['model=forbidden-7b', 'model=small-1'],
  },
  'name*0': { undici: undefined, starlette: ['model=small-1'], werkzeug: ['model=small-1'], go: ['model=forbidden-7b', 'model=small-1'] },
  'a name twice': {
    undici: ['model=small-1', 'model=forbidden-7b'],
    starlette: ['model=small-1', 'model=forbidden-7b'],
    werkzeug: ['model=small-1', 'model=forbidden-7b'],
    go: ['model=small-1'],
  },
  'a name twice, first': { undici: ['model=small-1'], starlette: ['model=small-1'], werkzeug: ['model=small-1'], go: ['model=small-1'] },
  Name: {
    undici: ['model=small-1', 'model=forbidden-7b'],
    starlette: ['model=small-1', 'model=forbidden-7b'],
    werkzeug: ['model=small-1', 'model=forbidden-7b'],
    go: ['model=forbidden-7b', 'model=small-1'],
  },
  'a name without quotes': {
    undici: ['model=small-1', 'model=forbidden-7b'],
    starlette: ['model=small-1', 'model=forbidden-7b'],
    werkzeug: ['model=small-1', 'model=forbidden-7b'],
    go: ['model=forbidden-7b', 'model=small-1'],
  },
  'a name in single quotes': {
    undici: ['model=small-1', "'model'=forbidden-7b"],
    starlette: ['model=small-1', "'model'=forbidden-7b"],
    werkzeug: ['model=small-1', "'model'=forbidden-7b"],
    go: ["'model'=forbidden-7b", 'model=small-1'],
  },
  'a name with a quoted letter': {
    undici: ['model=small-1'],
    starlette: ['model=small-1'],
    werkzeug: ['model=small-1', 'model=forbidden-7b'],
    go: ['model=small-1'],
  },
  'a name behind a backslash': {
    undici: ['model=small-1', 'model=forbidden-7b'],
    starlette: ['model=small-1', 'note"; name="model=forbidden-7b'],
    werkzeug: ['model=small-1'],
    go: ['model=small-1'],
  },
  'a name in a file name': { undici: ['model=small-1'], starlette: undefined, werkzeug: ['model=small-1'], go: ['model=small-1'] },
  'a percent in the name': { undici: ['model=small-1'], starlette: ['model=small-1'], werkzeug: ['model=small-1'], go: ['model=small-1'] },
  'a quote in the name': {
    undici: ['model=small-1', 'model"=forbidden-7b'],
    starlette: ['model=small-1', 'model%22=forbidden-7b'],
    werkzeug: ['model=small-1', 'model"=forbidden-7b'],
    go: ['model%22=forbidden-7b', 'model=small-1'],
  },
  'blanks around the equals sign': {
    undici: undefined,
    starlette: ['model=small-1', 'model=forbidden-7b'],
    werkzeug: ['model=small-1'],
    go: ['model=forbidden-7b', 'model=small-1'],
  },
  'a tab before the name': {
    undici: ['model=small-1', 'model=forbidden-7b'],
    starlette: ['model=small-1', 'model=forbidden-7b'],
    werkzeug: ['model=small-1', 'model=forbidden-7b'],
    go: ['model=forbidden-7b', 'model=small-1'],
  },
  'no blank before the name': {
    undici: ['model=small-1', 'model=forbidden-7b'],
    starlette: ['model=small-1', 'model=forbidden-7b'],
    werkzeug: ['model=small-1', 'model=forbidden-7b'],
    go: ['model=forbidden-7b', 'model=small-1'],
  },
  'a folded head': {
    undici: undefined,
    starlette: undefined,
    werkzeug: ['model=small-1', 'model=forbidden-7b'],
    go: ['model=forbidden-7b', 'model=small-1'],
  },
  'a blank before the colon': {
    undici: ['model=small-1', 'model=forbidden-7b'],
    starlette: undefined,
    werkzeug: ['model=small-1', 'model=forbidden-7b'],
    go: ['model=small-1'],
  },
  'two content-dispositions': {
    undici: ['model=small-1', 'model=forbidden-7b'],
    starlette: ['model=small-1', 'model=forbidden-7b'],
    werkzeug: ['model=small-1'],
    go: ['model=small-1'],
  },
  'a disposition that is no form-data': {
    undici: undefined,
    starlette: ['model=small-1', 'model=forbidden-7b'],
    werkzeug: ['model=small-1', 'model=forbidden-7b'],
    go: ['model=small-1'],
  },
  'a file name in a field': {
    undici: ['model=small-1', 'model=(file)'],
    starlette: ['model=small-1', 'model=(file)'],
    werkzeug: ['model=small-1', 'model=(file)'],
    go: ['model=forbidden-7b', 'model=small-1'],
  },
  'an empty file name*': {
    undici: ['model=small-1', 'model=(file)'],
    starlette: ['model=small-1', 'model=forbidden-7b'],
    werkzeug: ['model=small-1', 'model=(file)'],
    go: ['model=forbidden-7b', 'model=small-1'],
  },
  'a charset': {
    undici: ['model=small-1', 'model=forbidden-7b'],
    starlette: ['model=small-1', 'model=forbidden-7b'],
    werkzeug: ['model=small-1', 'model=forbidden-7b'],
    go: ['model=forbidden-7b', 'model=small-1'],
  },
  'an encoding': {
    undici: ['model=small-1', 'model=forbidden-7b'],
    starlette: ['model=small-1', 'model=forbidden-7b'],
    werkzeug: ['model=small-1', 'model=forbidden-7b'],
    go: ['model=forbidden-7b', 'model=small-1'],
  },
  'a bare CR in its head': { undici: undefined, starlette: undefined, werkzeug: ['model=small-1', 'model=forbidden-7b'], go: undefined },
  'a bare LF in its head': {
    undici: undefined,
    starlette: undefined,
    werkzeug: ['model=small-1', 'model=forbidden-7b'],
    go: ['model=forbidden-7b', 'model=small-1'],
  },
  'a NUL in the name': {
    undici: ['model=small-1', 'model\u0000x=forbidden-7b'],
    starlette: ['model=small-1', 'model\u0000x=forbidden-7b'],
    werkzeug: ['model=small-1', 'model\u0000x=forbidden-7b'],
    go: undefined,
  },
  'a NUL in its head': {
    undici: undefined,
    starlette: ['model=small-1', 'model=forbidden-7b'],
    werkzeug: ['model=small-1', 'model=forbidden-7b'],
    go: undefined,
  },
  'a line that is no header': { undici: undefined, starlette: undefined, werkzeug: ['model=small-1', 'model=forbidden-7b'], go: undefined },
  'a form in a part': { undici: ['model=small-1'], starlette: ['model=small-1'], werkzeug: ['model=small-1'], go: ['model=small-1'] },
  _charset_: {
    undici: ['model=forbidden-7b'],
    starlette: ['model=forbidden-7b'],
    werkzeug: ['model=forbidden-7b'],
    go: ['model=forbidden-7b'],
  },
  base64: {
    undici: ['model=small-1', 'model=forbidden-7b'],
    starlette: ['model=small-1', 'model=Zm9yYmlkZGVuLTdi'],
    werkzeug: ['model=small-1', 'model=Zm9yYmlkZGVuLTdi'],
    go: ['model=Zm9yYmlkZGVuLTdi', 'model=small-1'],
  },
  'a preamble': { undici: undefined, starlette: undefined, werkzeug: ['model=small-1'], go: ['model=small-1'] },
  'a part in the preamble': {
    undici: ['model=forbidden-7b', 'model=small-1'],
    starlette: undefined,
    werkzeug: ['model=forbidden-7b', 'model=small-1'],
    go: ['model=small-1'],
  },
  'an epilogue': { undici: ['model=small-1'], starlette: ['model=small-1'], werkzeug: ['model=small-1'], go: ['model=small-1'] },
  'an epilogue on the last line': { undici: ['model=small-1'], starlette: ['model=small-1'], werkzeug: ['model=small-1'], go: undefined },
  'line feeds alone': { undici: undefined, starlette: undefined, werkzeug: ['model=forbidden-7b'], go: ['model=forbidden-7b'] },
  'a line feed before the boundary': {
    undici: undefined,
    starlette: ['model=small-1'],
    werkzeug: ['model=forbidden-7b', 'model=small-1'],
    go: ['model=small-1'],
  },
  'a line feed before a whole part': {
    undici: undefined,
    starlette: ['model=small-1'],
    werkzeug: ['model=forbidden-7b', 'model=small-1'],
    go: ['model=small-1'],
  },
  'a carriage return before the boundary': {
    undici: undefined,
    starlette: ['model=small-1'],
    werkzeug: ['model=forbidden-7b', 'model=small-1'],
    go: ['model=small-1'],
  },
  'the boundary in a line': { undici: undefined, starlette: ['model=small-1'], werkzeug: ['model=small-1'], go: ['model=small-1'] },
  'a longer boundary': { undici: undefined, starlette: ['model=small-1'], werkzeug: ['model=small-1'], go: ['model=small-1'] },
  'blanks behind the boundary': {
    undici: undefined,
    starlette: ['model=small-1', 'model=forbidden-7b'],
    werkzeug: ['model=small-1', 'model=forbidden-7b'],
    go: ['model=forbidden-7b', 'model=small-1'],
  },
  'no empty line in an empty part': {
    undici: undefined,
    starlette: ['model=small-1'],
    werkzeug: ['model=forbidden-7b', 'model=small-1'],
    go: ['model=forbidden-7b', 'model=small-1'],
  },
  'no end': { undici: undefined, starlette: ['model=small-1'], werkzeug: undefined, go: undefined },
  'boundary*': { undici: ['model=small-1'], starlette: ['model=small-1'], werkzeug: ['model=forbidden-7b'], go: ['model=forbidden-7b'] },
  'two boundaries': { undici: ['model=small-1'], starlette: undefined, werkzeug: ['model=forbidden-7b'], go: undefined },
  BOUNDARY: { undici: ['model=forbidden-7b'], starlette: ['model=small-1'], werkzeug: ['model=small-1'], go: undefined },
  'a boundary with a blank at its end': {
    undici: ['model=forbidden-7b'],
    starlette: ['model=forbidden-7b'],
    werkzeug: ['model=forbidden-7b'],
    go: ['model=forbidden-7b'],
  },
  'a boundary in escapes': { undici: ['model=small-1'], starlette: undefined, werkzeug: ['model=small-1'], go: ['model=forbidden-7b'] },
  'a charset of the form': {
    undici: ['model=forbidden-7b'],
    starlette: ['model=\u6f66\u6272\u6469\u6564\u2d6e\u6237'],
    werkzeug: ['model=forbidden-7b'],
    go: ['model=forbidden-7b'],
  },
};

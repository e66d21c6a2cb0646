/** A JSON Schema (draft 2020-12) as data. Written `as const` if a type is derived from it. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** Timeouts of an attempt in milliseconds. Each is inherited separately. */
export interface Timeouts {
  readonly connect: number;
  /**
   * From the end of sending the body until the first event of a stream, or the head of a complete response. Default:
   * one minute for a stream, and `total` for a complete response, because a reasoning model may need that long.
   */
  readonly firstByte: number | undefined;
  /** Maximum pause between events, or between the bytes of a complete response. */
  readonly idle: number;
  readonly total: number;
  /** `request_timeout`: until the commit point of a stream, or until the complete response. */
  readonly request: number | undefined;
}

export type PartialTimeouts = { readonly [K in keyof Timeouts]?: Timeouts[K] };

/** Tokens of one answer. `prompt` includes cached tokens, `completion` includes reasoning; all counts are tokens. */
export interface Usage {
  readonly prompt: number;
  readonly completion: number;
  readonly cached?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
  readonly audioIn?: number;
  readonly audioOut?: number;
}

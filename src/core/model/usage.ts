/**
 * Tokens of one response. `prompt` includes cached tokens, `completion` includes reasoning. All counts are tokens,
 * except some in `details`.
 */
export interface Usage {
  readonly prompt: number;
  readonly completion: number;
  readonly cached?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
  readonly audioIn?: number;
  readonly audioOut?: number;
  /** Parts and units that are priced separately. */
  readonly details?: UsageDetails;
}

/** Absent members are 0, or unknown. */
export interface UsageDetails {
  /** Part of `cache_write` with a time to live of one hour. */
  readonly cache_write_1h?: number;
  /** Part of both `cached` and `audio_in`. */
  readonly cached_audio?: number;
  /** Image tokens: parts of `prompt`, of `cached` and of `completion`. */
  readonly image_in?: number;
  readonly cached_images?: number;
  readonly image_out?: number;
  /** Number of generated images, and their requested kind: `<size>/<quality>`. */
  readonly images?: number;
  readonly image?: string;
  /** Seconds of audio, with a fraction, if it is not billed in tokens. */
  readonly seconds?: number;
  /** Characters of text converted to speech. */
  readonly characters?: number;
  /** Searches by the provider, in the web and in its file store. */
  readonly web_searches?: number;
  readonly file_searches?: number;
  /** Containers in which the provider ran code. They are billed per session, which may begin in an earlier response. */
  readonly containers?: number;
  /** Transcripts in a WebSocket session, which another model creates from the input audio and which are billed separately. */
  readonly transcripts?: number;
  /** Images that a tool of the provider generated with another model, which are billed separately. */
  readonly tool_images?: number;
  /** Service tier in the response: `flex`, `priority`, `batch`. */
  readonly tier?: string;
}

import type { Media } from '../../../core/provider.ts';

/** The service that a body is made for. */
export interface PlainService {
  readonly model: string;
  /** OpenAI's own service, or its models elsewhere: supports all current fields, but its models reject some of them. */
  readonly isOpenAi: boolean;
  /** The service supports the gateway's own fields, so they are sent. */
  readonly passes: boolean;
  /** Fields of other APIs that the service supports although `passes` is false. */
  readonly known: readonly string[];
  /** Downloaded files, by URL. */
  readonly media: ReadonlyMap<string, Media>;
}

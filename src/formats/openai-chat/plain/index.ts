import { isPlain, type Plain } from '../../../core/json/merge.ts';
import type { Dropped, Media } from '../../../core/provider.ts';
import { isOtherTool, lacksTool } from '../../shared/request/cannot-carry.ts';
import { Drops } from '../../shared/request/drops.ts';
import { inlinedFiles } from './files.ts';
import { plainMessages } from './messages.ts';
import { fitted } from './params.ts';
import { plainTools } from './tools.ts';

/** The service that a body is made for. */
export interface PlainService {
  readonly model: string;
  /** OpenAI's own service, or the same models elsewhere: it knows all of today's fields, and its models refuse some. */
  readonly isOpenAi: boolean;
  /** The gateway's own fields go along: the service knows them. */
  readonly passes: boolean;
  /** Those that it knows although the others are left out. */
  readonly known: readonly string[];
  /** Files that were downloaded, by URL. */
  readonly media: ReadonlyMap<string, Media>;
}

/**
 * A request that was made from another format, as a service of the chat format takes it: what is an extension of the
 * gateway's gets the nearest form that the service has, or is left out and named.
 *
 * @throws GatewayError `unsupported_parameter` for files that have no form there
 */
export function plainChat(body: Plain, service: PlainService): { readonly body: Plain; readonly dropped: readonly Dropped[] } {
  const drops = new Drops();
  const { messages, tools, ...rest } = inlinedFiles(body, service.media);
  const made = plainTools(Array.isArray(tools) ? tools.filter(isPlain) : [], service, drops);
  const params = fitted(rest, service, drops);
  const chosen = isPlain(params['tool_choice']) ? params['tool_choice']['function'] : undefined;
  const isLost = isPlain(chosen) && isOtherTool(tools, chosen['name']);
  if (isLost || (made.tools === undefined && params['tool_choice'] === 'required')) drops.add('tool_choice', lacksTool);
  if (isLost) delete params['tool_choice'];
  // Both are refused where there are no tools.
  if (made.tools === undefined) for (const name of ['tool_choice', 'parallel_tool_calls']) delete params[name];
  return {
    body: { ...params, ...made, messages: plainMessages(Array.isArray(messages) ? messages.filter(isPlain) : [], drops) },
    dropped: drops.list,
  };
}

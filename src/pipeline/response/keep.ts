import { type Answered, type CompleteResponse, is2xx, type Outcome } from '../../core/plan.ts';
import type { HandleDeps } from '../handle-deps.ts';

/** Passes the complete response of an attempt to the plugin that keeps it, whose errors do not concern the request. */
export function keepResponse(outcome: Outcome | undefined, { onDefect }: Pick<HandleDeps, 'onDefect'>, id: string): void {
  const keeper = outcome?.attempt.interception?.keeper;
  if (outcome === undefined || keeper === undefined || !is2xx(outcome)) return;
  const response = completeResponse(outcome);
  if (response === undefined || sizeOf(response.pieces) > keeper.maxBytes) return;
  try {
    keeper.keep(response);
  } catch (thrown) {
    onDefect(thrown, id);
  }
}

/** The response as the provider sent it; undefined if not all of its bytes were kept. */
function completeResponse({ reply: { status, headers, body, flow } }: Answered): CompleteResponse | undefined {
  if (flow === undefined) return { status, contentType: headers['content-type'] ?? '', pieces: [body] };
  const { contentType, pieces, size } = flow.kept;
  return sizeOf(pieces) === size ? { status, contentType, pieces } : undefined;
}

const sizeOf = (pieces: readonly Buffer[]): number => pieces.reduce((sum, { length }) => sum + length, 0);

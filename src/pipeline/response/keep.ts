import { sizeOfPieces } from '../../core/memory/byte-pieces.ts';
import type { Answered, CompleteResponse, Outcome } from '../../core/plan.ts';
import type { HandleDeps } from '../handle-deps.ts';

/** Passes the complete response of an attempt to the plugin that keeps it, whose errors do not concern the request. */
export function keepResponse(outcome: Outcome | undefined, { onDefect }: Pick<HandleDeps, 'onDefect'>, id: string): void {
  const keeper = outcome?.attempt.interception?.keeper;
  if (keeper === undefined || outcome?.kind !== 'answered' || !isResult(outcome)) return;
  const response = completeResponse(outcome);
  if (response === undefined || sizeOfPieces(response.pieces) > keeper.maxBytes) return;
  try {
    keeper.keep(response);
  } catch (thrown) {
    onDefect(thrown, id);
  }
}

/** How responses with the status 200 end whose work failed, or goes on. */
const unsuccessful: ReadonlySet<string> = new Set(['cancelled', 'error', 'failed', 'in_progress', 'queued']);

/** False for other statuses of success too: they announce a result, or a part of it. */
const isResult = ({ reply: { status, tap } }: Answered): boolean =>
  status === 200 && tap?.finish.some((reason) => unsuccessful.has(reason)) !== true;

/** The response as the provider sent it; undefined if not all of its bytes were kept. */
function completeResponse({ reply: { headers, body, flow } }: Answered): CompleteResponse | undefined {
  if (flow === undefined) return { contentType: headers['content-type'] ?? '', pieces: [body] };
  const { contentType, pieces, size } = flow.kept;
  return sizeOfPieces(pieces) === size ? { contentType, pieces } : undefined;
}

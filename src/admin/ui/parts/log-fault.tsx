import { Notice } from '../components/surface.tsx';

/** Why figures from the request log are missing in a list. All entries have the same reason. */
export function LogFault({ what, of: entries }: { what: string; of: readonly { readonly log_fault: string | null }[] }) {
  const fault = entries[0]?.log_fault ?? null;
  return fault === null ? null : <Notice tone="info" title={`${what} may be incomplete: ${fault}`} />;
}

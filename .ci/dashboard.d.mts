export const bundled: readonly string[];
export function isBuilt(root: string): boolean;
export function buildDashboard(root: string, modules?: string): Promise<void>;
export function ensureDashboard(
  root: string,
  npm: (args: string[], cwd: string) => { status: number | null },
): Promise<string | undefined>;

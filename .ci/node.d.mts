export const version: string;
export function hasNode(modules: string, running?: string): boolean;
export function installNode(modules: string, npm: (args: string[], cwd: string) => { status: number | null }): string | undefined;

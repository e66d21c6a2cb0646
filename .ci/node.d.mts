export const version: string;
type Release = readonly [major: number, minor: number];
export const oldest: { readonly serving: Release; readonly developing: Release };
export function hasNode(modules: string, oldest: Release, running?: string): boolean;
export function installNode(modules: string, npm: (args: string[], cwd: string) => { status: number | null }): string | undefined;

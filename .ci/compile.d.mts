export function compile(root: string, outdir: string): Promise<void>;

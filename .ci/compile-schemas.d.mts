export function compileSchemas(root: string, outdir: string): Promise<void>;

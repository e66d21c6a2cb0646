/** The feature of the API by which its store of files is used. */
export const filesBeta = 'files-api-2025-04-14';

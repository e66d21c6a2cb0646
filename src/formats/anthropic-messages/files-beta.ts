/** The beta feature that enables the API's file storage. */
export const filesBeta = 'files-api-2025-04-14';

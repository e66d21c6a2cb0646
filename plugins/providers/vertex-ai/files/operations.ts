import { listFiles } from './list.ts';
import { deleteFile, fileContent, retrieveFile } from './one.ts';
import type { Storage } from './storage.ts';
import { upload } from './upload.ts';

/** Objects of object storage as OpenAI's files. */
export const fileOperations = (store: Storage) => ({
  files: upload(store),
  'files/list': listFiles(store),
  'files/{id}': retrieveFile(store),
  'files/{id}/content': fileContent(store),
  'files/{id}/delete': deleteFile(store),
});

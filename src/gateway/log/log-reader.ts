import { standBackWholly } from '../../store/log/asking/priority.ts';
import { serveCalls } from '../../store/log/asking/serve.ts';
import { createReader } from '../../store/log/worker/reader.ts';
import type { Database } from '../../store/log/worker/settings.ts';

// Not before it is loaded: on a busy machine somebody would wait for that much longer.
standBackWholly();
serveCalls((database) => createReader(database as Database));

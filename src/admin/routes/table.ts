import type { AdminRoute } from './route.ts';
import { explainRoutes } from './logs/explain.ts';
import { figureRoutes } from './logs/figures.ts';
import { liveRoutes } from './logs/live.ts';
import { readRoute } from './logs/read.ts';
import { requestRoutes } from './logs/requests.ts';
import { keyRoutes } from './catalog/keys.ts';
import { promptRoutes } from './catalog/prompts.ts';
import { providerRoutes } from './catalog/providers.ts';
import { configRoutes } from './config/configs.ts';
import { textRoutes } from './config/texts.ts';
import { servingRoutes } from './config/serving.ts';
import { sessionRoutes } from './system/session.ts';
import { statusRoutes } from './system/status.ts';

/** Every route of the admin API. Each resource has a file in this folder and a line here. */
export function adminRoutes(): readonly AdminRoute[] {
  return [
    // One line per resource.
    ...sessionRoutes,
    ...statusRoutes(),
    ...requestRoutes,
    readRoute,
    ...explainRoutes,
    ...liveRoutes(),
    ...figureRoutes,
    ...servingRoutes,
    ...textRoutes,
    ...configRoutes,
    ...providerRoutes,
    ...keyRoutes,
    ...promptRoutes,
  ];
}

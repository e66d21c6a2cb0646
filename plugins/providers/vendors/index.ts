import type { Provider } from '#core/provider.ts';
import { hosted } from './hosted.ts';
import { labs } from './labs.ts';
import { selfHosted } from './self-hosted.ts';
import { vendorProvider } from './provider.ts';
import type { Vendor } from './row.ts';

const services = [...hosted, ...labs].toSorted((a, b) => (a.type < b.type ? -1 : 1));

/** All services described as rows, in listing order. */
export const vendors: readonly Vendor[] = Object.freeze([...services, ...selfHosted]);

/** The vendors as providers. */
export default Object.freeze(vendors.map(vendorProvider)) as readonly Provider[];

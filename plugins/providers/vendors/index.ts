import type { Provider } from '#core/provider.ts';
import { hosted } from './hosted.ts';
import { own } from './own.ts';
import { vendorProvider } from './provider.ts';
import type { Vendor } from './row.ts';

/** All services that are known as rows, in the order in which they are listed. */
export const vendors: readonly Vendor[] = Object.freeze([...hosted, ...own]);

/** The same as providers. */
export default Object.freeze(vendors.map(vendorProvider)) as readonly Provider[];

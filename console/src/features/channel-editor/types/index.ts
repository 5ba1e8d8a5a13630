import { compatible, withOrganization } from './compatible.ts';
import type { TypeDescriptor } from './descriptor.ts';
import { fullUrl, ownServer, privateDeployment } from './self-hosted.ts';

export type { TypeDescriptor } from './descriptor.ts';

/** Types that ask for something of their own, by contract number. All others are `compatible`. */
const special: Record<number, TypeDescriptor> = { 1: withOrganization, 8: fullUrl, 22: privateDeployment, 47: ownServer };

export const describeType = (type: number): TypeDescriptor => special[type] ?? compatible;

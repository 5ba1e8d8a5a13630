import { expect } from 'vitest';
import { vendorCount } from '../../support/mock/vendors/counting.ts';

/** The length of `one two three`, as the upstream said it or as the gateway counted. */
export function expectCount(tokens: number, isUpstreams: boolean): void {
  expect(tokens).toBeGreaterThanOrEqual(isUpstreams ? vendorCount : 3);
  expect(tokens).toBeLessThanOrEqual(isUpstreams ? vendorCount : 40);
}

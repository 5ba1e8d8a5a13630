import type { Options } from './definitions.ts';

type Modes = Pick<Options, 'RegisterEnabled' | 'DemoSiteEnabled' | 'SelfUseModeEnabled'>;

/** Nobody registers at a demo, nor at a gateway that is for its owner alone. */
export const isRegistrationOpen = ({ RegisterEnabled, DemoSiteEnabled, SelfUseModeEnabled }: Modes): boolean =>
  RegisterEnabled && !DemoSiteEnabled && !SelfUseModeEnabled;

export { isOptionKey, type Options } from './definitions.ts';
export {
  normalOption,
  type OptionShape,
  optionShapes,
  optionsOf,
  placeOptionsOf,
  placesOfSecret,
  readOptionTexts,
  requirementFaults,
  secretsLost,
} from './described.ts';
export { formatLogQuota, formatQuota } from './format.ts';
export { autoGroupsOf, chargedGroups, describeGroups, mayUseGroup, refuseUnusableGroups, usableGroups } from './groups.ts';
export { createOptionHistory, type OptionHistory } from './history.ts';
export { plainMarkup, sanitizeMarkup } from './markup.ts';
export { isRegistrationOpen } from './modes.ts';
export { type BuildInfo, buildStatus } from './status.ts';
export { createSettings, type Settings, type SettingsDeps, saveOptionsIn } from './store.ts';
export { isClosed, type OptionChange, optionFault, optionOf, type StandIn, sealedOptions, standInsOf } from './values.ts';

export { isOptionKey, type OptionKey, type Options, type PayMethod } from './definitions.ts';
export { formatLogQuota, formatQuota } from './format.ts';
export { autoGroupsOf, describeGroups, mayUseGroup, usableGroups } from './groups.ts';
export { createOptionHistory, type OptionHistory } from './history.ts';
export { plainMarkup, sanitizeMarkup } from './markup.ts';
export { isRegistrationOpen } from './modes.ts';
export { type BuildInfo, buildStatus } from './status.ts';
export { createSettings, type OptionChange, optionFault, type Settings, type SettingsDeps, sealedOptions } from './store.ts';

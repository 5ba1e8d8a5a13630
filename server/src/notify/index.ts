export {
  balanceCheck,
  diskCheck,
  downCheck,
  errorRateCheck,
  ledgerCheck,
  lossCheck,
  optionCheck,
  waitingCheck,
} from './alert-checks.ts';
export { createAlerts } from './alerts.ts';
export { type Announcements, createAnnouncements } from './announcements.ts';
export { type CallMeters, createCallMeters } from './call-meters.ts';
export { createDispatcher } from './dispatcher.ts';
export { createDeliveryLog, type DeliveryLog } from './history.ts';
export { createMailer, type Mailer } from './mail.ts';
export { limitMail } from './mail-limits.ts';
export { codeMail, movedMail, resetMail, takenMail, testMail } from './mail-templates.ts';
export { sealedPreferences, settingText, shownSetting } from './preferences.ts';
export { priceWatchCheck } from './price-source.ts';
export { tellComingPrices, tellPriceChanges } from './price-watch.ts';
export { dropWaiting, publish } from './publish.ts';
export { createQuotaWatch } from './quota-watch.ts';
export { tellSwitched, tellTested } from './tell.ts';
export { tokenKeyMessage } from './texts.ts';
export { createWays } from './ways/index.ts';
export { createWxPusherBinding, type WxPusherBinding } from './wxpusher-binding.ts';

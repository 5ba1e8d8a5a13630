/** First match wins: later names also stand in the texts of the earlier ones. */
const browsers: readonly [RegExp, string][] = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bMicroMessenger\//, 'WeChat'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bHeadlessChrome\/|\bChrome\/|\bCriOS\//, 'Chrome'],
  [/\bVersion\/.*\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
];
const systems: readonly [RegExp, string][] = [
  [/\biPhone\b|\biPad\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

const nameOf = (userAgent: string, names: readonly [RegExp, string][]): string =>
  names.find(([pattern]) => pattern.test(userAgent))?.[1] ?? '';

/** Browser and system of a User-Agent text, "" for what is not known. Only for people to recognise their devices. */
export const readUserAgent = (userAgent: string): { browser: string; system: string } => ({
  browser: nameOf(userAgent, browsers),
  system: nameOf(userAgent, systems),
});

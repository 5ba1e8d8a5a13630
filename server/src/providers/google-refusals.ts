import { asWord, type JsonObject } from '@tollgate/wire';
import { isObject } from './bodies.ts';
import type { Provider } from './provider.ts';

const retryInfo = 'type.googleapis.com/google.rpc.RetryInfo';
/** A protobuf duration in its JSON form. */
const duration = /^(\d{1,6}(?:\.\d{1,9})?)s$/;

/** `retryDelay` among the details of an error, in whole seconds. */
function retryDelay({ error }: JsonObject): number | undefined {
  const details: unknown = isObject(error) ? error.details : undefined;
  if (!Array.isArray(details)) return undefined;
  const info: unknown = details.find((detail) => isObject(detail) && detail['@type'] === retryInfo);
  const seconds = duration.exec(asWord(isObject(info) ? info.retryDelay : ''))?.[1];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds));
}

const notServedHere = /^(?:User location is not supported|Gemini API free tier is not available in your country)/;

/** How this vendor's interfaces refuse: a dead key and a place that is not served with status 400, the time to wait in the body. */
export const googleRefusals: Pick<Provider, 'keyRefusals' | 'keyRefusalCodes' | 'blames' | 'retryAfterOf'> = {
  keyRefusals: [403],
  keyRefusalCodes: ['invalid_api_key'],
  // From where the channel asks is not the caller's choice.
  blames: ({ message }) => (notServedHere.test(message) ? 'server' : undefined),
  retryAfterOf: retryDelay,
};

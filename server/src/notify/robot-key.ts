import { PublicError } from '../platform/errors.ts';

/** In which parameter of the robot's address its key stands. */
const parameters = { wecom_key: 'key', dingtalk_key: 'access_token' } as const;

/** The key of a robot from what a user entered: the key itself, or the whole address. Throws PublicError `robot_key_invalid`. */
export function robotKey(kind: keyof typeof parameters, entered: string): string {
  const key = entered.includes('://') ? (URL.parse(entered)?.searchParams.get(parameters[kind]) ?? '') : entered;
  if (!/^[\w-]{8,128}$/.test(key)) throw new PublicError('robot_key_invalid');
  return key;
}

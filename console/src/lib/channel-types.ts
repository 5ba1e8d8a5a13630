import { type ChannelType, channelTypes } from '@tollgate/contract';
import { pick } from '../i18n/language.ts';

const byNumber = new Map(channelTypes.map((facts) => [facts.type, facts]));

/** What is known of a type; undefined for one that this console does not know. */
export const channelType = (type: number): ChannelType | undefined => byNumber.get(type);

/** Its name in the language of the screen. */
export const channelTypeName = (type: number): string => {
  const facts = byNumber.get(type);
  return facts === undefined ? `#${type}` : pick(facts.label, facts.english ?? facts.label);
};

import { describeMailFailure } from '../mail.ts';
import { noticeMail } from '../mail-templates.ts';
import { type Deliver, deliverBySmtp, type MailOptions, senderOf } from '../mail-transport.ts';
import type { Recipient } from '../recipients.ts';
import { DeliveryFault, type Way } from './way.ts';

/** To the address for notifications, else to that of the account. The outbox tries again, hence no queue of the mailer's. */
export function createEmailWay({ options, deliver = deliverBySmtp }: { options(): MailOptions; deliver?: Deliver }): Way {
  return {
    reaches: (recipient) => senderOf(options()).address !== '' && addressOf(recipient) !== '',
    unproven(recipient) {
      const address = addressOf(recipient);
      return address.toLowerCase() === recipient.email ? undefined : address;
    },
    async send({ id, message }, recipient) {
      try {
        await deliver(noticeMail(addressOf(recipient), id, message), options());
      } catch (error) {
        const { detail, isFinal } = describeMailFailure(error);
        throw new DeliveryFault(detail, { isFinal });
      }
    },
  };
}

function addressOf({ preferences, email }: Recipient): string {
  return preferences.notification_email ?? email;
}

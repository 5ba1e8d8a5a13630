import { mailPerson } from '../platform/mail-person.ts';
import type { Options } from '../settings/index.ts';
import type { Transaction } from '../storage/database.ts';

/** What tells whether two registrations are one person's; "" = not known, or not compared by it. All but the address are keyed hashes. */
export interface InviteMarks {
  /** Where the invited user is. */
  ip: string;
  device: string;
  /** Of the mailbox, whatever its spelling. */
  email: string;
  inviterEmail: string;
}

/** The inviter, or somebody else who came by the same code, has the same address, mailbox or browser, where that counts. */
export async function isSamePerson(tx: Transaction, inviterId: number, marks: InviteMarks, options: Options): Promise<boolean> {
  const { ip, device, email, inviterEmail } = marks;
  if (!options.InviteSameIpRewarded && ip !== '') {
    const own = tx.query.selectFrom('session').select('user_id').where('user_id', '=', inviterId).where('ip', '=', ip);
    if ((await own.limit(1).executeTakeFirst()) !== undefined || (await wasInvitedWith(tx, inviterId, 'ip', ip))) return true;
  }
  if (!options.InviteSameDeviceRewarded && device !== '') {
    const own = tx.query.selectFrom('user_device').select('user_id').where('device_hmac', '=', device);
    const mine = own.where('user_id', '=', inviterId).limit(1);
    if ((await mine.executeTakeFirst()) !== undefined || (await wasInvitedWith(tx, inviterId, 'device_hmac', device)))
      return true;
  }
  if (options.InviteSameEmailRewarded || email === '') return false;
  return email === inviterEmail || (await wasInvitedWith(tx, inviterId, 'email_hmac', email));
}

/** Somebody whom this inviter invited, or the inviter when invited, came with the same. */
async function wasInvitedWith(
  tx: Transaction,
  inviterId: number,
  column: 'ip' | 'device_hmac' | 'email_hmac',
  value: string,
): Promise<boolean> {
  const invites = tx.query.selectFrom('invite').select('invitee_id').where(column, '=', value);
  const same = invites.where((where) => where.or([where('inviter_id', '=', inviterId), where('invitee_id', '=', inviterId)]));
  return (await same.limit(1).executeTakeFirst()) !== undefined;
}

/** Both addresses as they are now: one that was bound after the registration counts too. */
export async function sharesMailbox(tx: Transaction, inviterId: number, inviteeId: number): Promise<boolean> {
  const rows = await tx.query.selectFrom('users').select('email').where('id', 'in', [inviterId, inviteeId]).execute();
  const [first, second] = rows.map(({ email }) => (email === null ? undefined : mailPerson(email)));
  return rows.length === 2 && first !== undefined && first === second;
}

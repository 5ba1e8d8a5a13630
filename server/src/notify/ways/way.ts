import type { Message } from '../message.ts';
import type { Recipient } from '../recipients.ts';

/** What goes out, with a name that stays the same when it is sent again. */
export interface Parcel {
  readonly id: string;
  readonly message: Message;
  /** Unix seconds. */
  readonly createdAt: number;
}

/** One way of reaching people. */
export interface Way {
  /** Whether this user has said where to, and the operator has set up what it takes. */
  reaches(recipient: Recipient): boolean;
  /** The mail address that a message would go to, where nobody proved that it is this user's. */
  unproven?(recipient: Recipient): string | undefined;
  /** Resolves when the other side took it. Rejects with DeliveryFault. */
  send(parcel: Parcel, recipient: Recipient): Promise<void>;
}

/** Why something did not arrive. The text is shown to its receiver: nothing that another server said stands in it. */
export class DeliveryFault extends Error {
  /** Trying again is of no use. */
  readonly isFinal: boolean;
  constructor(detail: string, { isFinal = false }: { isFinal?: boolean } = {}) {
    super(detail);
    this.isFinal = isFinal;
  }
}

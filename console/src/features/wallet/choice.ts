/** How to pay: a method of the payment service, or a card on the hosted page. */
export interface Choice {
  name: string;
  /** "" = the hosted page. */
  type: string;
}

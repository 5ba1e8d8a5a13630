import { fields } from '@tollgate/contract';
import { realtime } from '@tollgate/wire';
import { localFault, type RelayFault } from './faults.ts';

/** Names the model of a session whose address did not: one that only writes down is told in it who does. */
export class Naming {
  readonly model: Promise<string>;
  #resolve: (model: string) => void = () => undefined;
  /** It will not be named any more; of one that was, nothing. */
  fail: (fault: RelayFault) => void = () => undefined;

  constructor() {
    this.model = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.fail = reject;
    });
  }

  hear(bytes: Buffer) {
    const event = realtime.readClientEvent(bytes);
    if (event.kind === 'invalid') return this.fail(localFault('invalid_request', { reason: event.reason }));
    const named = event.kind === 'spelled' ? realtime.transcriberNamed(event.event) : undefined;
    if (named === undefined) return;
    const { success, data } = fields.modelName.safeParse(named);
    if (success) this.#resolve(data);
    else this.fail(localFault('invalid_text_request', { reason: 'model is invalid' }));
  }
}

type Step = () => Promise<void> | undefined;

/** Steps in order, one after the other; a step that must wait keeps the next ones waiting. */
export class Inbox {
  readonly #steps: Step[] = [];
  readonly #changed: () => void;
  readonly #failed: (error: unknown) => void;
  #isWorking = false;
  isBusy = false;

  /** `changed`: it became busy, or is no more. `failed`: a step rejected; the next ones still come. */
  constructor(changed: () => void, failed: (error: unknown) => void) {
    this.#changed = changed;
    this.#failed = failed;
  }

  /** Also from within a step: it comes behind those that wait. */
  add(step: Step) {
    this.#steps.push(step);
    if (!this.isBusy && !this.#isWorking) this.#work();
  }

  #work() {
    this.#isWorking = true;
    for (let step = this.#steps.shift(); step !== undefined; step = this.#steps.shift()) {
      const wait = step();
      if (wait === undefined) continue;
      this.isBusy = true;
      this.#changed();
      void wait.catch(this.#failed).then(() => {
        this.isBusy = false;
        this.#work();
        if (!this.isBusy) this.#changed();
      });
      break;
    }
    this.#isWorking = false;
  }
}

/** What waits for the end of the press that is under way; undefined while none is. */
let waiting: (() => void)[] | undefined;

function end(): void {
  const due = waiting;
  waiting = undefined;
  due?.map((action) => action());
}
let timer: ReturnType<typeof setTimeout> | undefined;
const endIn = (ms: number) => {
  // Of the press before: it must not end this one.
  clearTimeout(timer);
  timer = setTimeout(end, ms);
};
addEventListener('pointerdown', () => {
  waiting ??= [];
  // Whose end is never told: over a list that the browser opens, or where the finger scrolls.
  endIn(1000);
});
// The click comes first.
addEventListener('pointerup', () => endIn(0));

/** Runs at once, or behind the press that is under way: what appears meanwhile moves what is pressed, and the click is lost. */
export const afterPress = (action: () => void): unknown => (waiting ? waiting.push(action) : action());

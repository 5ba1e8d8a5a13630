import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { getSession } from '../../api/session.ts';
import { languageTag } from '../../i18n/language.ts';
import { randomAlphanumerics } from '../../lib/random.ts';
import { notify } from '../../ui/notify.ts';
import { type Answer, bodyOf, emptyAnswer, isBusy, keep, load, messagesOf, type Setup, type Turn, toolsFault } from './model.ts';
import { ask, type Progress } from './stream.ts';

/** Many small steps become one picture. */
const paintMs = 32;
/** A picture that takes long is followed by so many times its time for everything else. */
const restFactor = 2;

type Question = Pick<Turn, 'text' | 'images'>;

/** The conversation: its setup, its turns, and what can be done with them. */
export function useChat(userId: number) {
  const [state, setState] = useState(() => load(userId));
  const running = useRef(new Map<string, AbortController>());
  const { setup, turns } = state;
  const busy = isBusy(turns);
  const latest = useRef(state);
  // Before what else follows a picture: a question that waited for the models is asked then, and kept with more than this.
  useLayoutEffect(() => {
    latest.current = state;
    // What grows is kept when it is done, or left.
    if (!busy) keepOwn(userId, state);
  }, [userId, state, busy]);
  useEffect(() => {
    const calls = running.current;
    const leave = () => {
      if (isBusy(latest.current.turns)) keepOwn(userId, latest.current);
    };
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      leave();
      for (const call of calls.values()) call.abort();
    };
  }, [userId]);

  const setTurns = (change: (turns: Turn[]) => Turn[]) => setState((now) => ({ ...now, turns: change(now.turns) }));
  const start = (id: string, index: number, question: Question, before: readonly Turn[], model: string) => {
    const name = `${id}:${index}`;
    running.current.get(name)?.abort();
    const call = new AbortController();
    running.current.set(name, call);
    let waiting: ((answer: Answer) => Answer)[] = [];
    let restMs = paintMs;
    const flush = () => {
      const changes = waiting;
      waiting = [];
      const begun = performance.now();
      flushSync(() =>
        setTurns((all) => withAnswer(all, id, index, (answer) => changes.reduce((so, change) => change(so), answer))),
      );
      restMs = Math.max(paintMs, restFactor * (performance.now() - begun));
    };
    const progress: Progress = (change) => {
      if (waiting.push(change) === 1) setTimeout(flush, restMs);
    };
    const body = bodyOf(setup, messagesOf(setup, before, question, model), model);
    const asked = { body, userId, languageTag: languageTag(), signal: call.signal, progress };
    void ask(asked).finally(() => {
      if (running.current.get(name) === call) running.current.delete(name);
    });
  };
  /** Asks from here on anew: what came after is forgotten. */
  const askFrom = (before: readonly Turn[], question: Question) => {
    const id = randomAlphanumerics(12);
    const turn: Turn = { id, ...question, answers: setup.models.map(emptyAnswer) };
    setTurns(() => [...before, turn]);
    keepOwn(userId, { setup, turns: [...before, turn] });
    for (const [index, model] of setup.models.entries()) start(id, index, question, before, model);
  };
  const at = (id: string): number => turns.findIndex((turn) => turn.id === id);
  const mayAsk = (): boolean => {
    const fault = toolsFault(setup.tools);
    if (fault) notify('warn', fault);
    return fault === '';
  };
  return {
    setup,
    turns,
    busy,
    change: (change: Partial<Setup>) => setState((now) => ({ ...now, setup: { ...now.setup, ...change } })),
    send: (question: Question) => askFrom(turns, question),
    /** Whether it was asked again. */
    edit: (id: string, text: string): boolean => {
      const index = at(id);
      const turn = turns[index];
      if (!turn || !mayAsk()) return false;
      askFrom(turns.slice(0, index), { text, images: turn.images });
      return true;
    },
    regenerate: (id: string, index: number) => {
      const place = at(id);
      const turn = turns[place];
      const model = turn?.answers[index]?.model;
      if (turn === undefined || model === undefined || !mayAsk()) return;
      setTurns((all) => withAnswer(all, id, index, () => emptyAnswer(model)));
      start(id, index, turn, turns.slice(0, place), model);
    },
    remove: (id: string) => setTurns((all) => all.filter((turn) => turn.id !== id)),
    stop: () => {
      for (const call of running.current.values()) call.abort();
    },
    clear: () => {
      for (const call of running.current.values()) call.abort();
      setTurns(() => []);
    },
  };
}

export type Chat = ReturnType<typeof useChat>;

/** Nothing is left behind by a conversation that somebody else's sign-in, or the own sign-out, closed. */
function keepOwn(userId: number, { setup, turns }: { setup: Setup; turns: readonly Turn[] }): void {
  if (getSession()?.id === userId) keep(userId, setup, turns);
}

function withAnswer(turns: Turn[], id: string, index: number, change: (answer: Answer) => Answer): Turn[] {
  return turns.map((turn) =>
    turn.id === id ? { ...turn, answers: turn.answers.map((answer, at) => (at === index ? change(answer) : answer)) } : turn,
  );
}

import fc from 'fast-check';

/** The suite draws the same cases everywhere, so that a red run is red for everybody; `npm run soak` draws new ones each time. */
const seed = process.env.TOLLGATE_SOAK === '1' ? Date.now() : 20_261_122;

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });

export { modelNamed, readClientEvent, transcriberNamed, withModel, withTranscriber } from './client-event.ts';
export { errorEvent } from './error-event.ts';
export { greeting } from './greeting.ts';
export { readServerEvent, type Transcribed } from './server-event.ts';
export { type SoundFormats, usualSound } from './sound.ts';

import { inject } from 'vitest';
import { beginWith } from './data-dir.ts';

beginWith(inject('templateDir'));

import { createElement, type SVGProps } from 'react';

type Drawing = readonly (readonly [tag: string, attributes: Readonly<Record<string, string>>])[];

/** A drawing of 24 by 24 in lines of the text's colour. What a build makes of lucide's icons (vite.plugins.ts). @public */
export const icon =
  (drawing: Drawing) =>
  ({ size = 24, ...props }: SVGProps<SVGSVGElement> & { size?: number }) =>
    createElement(
      'svg',
      {
        ...{ width: size, height: size, viewBox: '0 0 24 24', fill: 'none', stroke: 'currentColor' },
        ...{ strokeWidth: 2, strokeLinecap: 'round', strokeLinejoin: 'round' },
        ...props,
      },
      ...drawing.map(([tag, attributes]) => createElement(tag, attributes)),
    );

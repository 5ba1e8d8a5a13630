/** Colours of models by rank, for light and dark; each stands out from the page and from its neighbours. */
const colours = [
  'light-dark(#2458d3, #86a9ff)',
  'light-dark(#c2410c, #ff9a62)',
  'light-dark(#10713a, #4cc38a)',
  'light-dark(#8b2fc9, #c792ff)',
  'light-dark(#0b7d9e, #5cc8e0)',
  'light-dark(#be185d, #ff86b4)',
  'light-dark(#8f5a00, #e5ac4d)',
  'light-dark(#4d7c0f, #a3d155)',
  'light-dark(#4338ca, #a5a2ff)',
  'light-dark(#0f766e, #4fd1c0)',
  'light-dark(#9f1239, #ff9aa8)',
] as const;
const others = 'light-dark(#64748b, #8d99ab)';

export const colourOf = (rank: number): string => colours[rank] ?? others;

/** The name of a model that is looked for has wildcards. */
export function isPattern(model: string): boolean {
  return model.includes('%');
}

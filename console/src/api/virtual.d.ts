declare module 'virtual:contract-routes' {
  export const routes: typeof import('@tollgate/contract').routes;
}

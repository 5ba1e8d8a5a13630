/// <reference path="./virtual.d.ts" />
/** The contract's routes, as `call` takes them: typed by the contract, at run time only method and path. */
export * as routes from 'virtual:contract-routes';

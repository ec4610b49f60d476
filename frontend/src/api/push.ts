/** Outside of every page: the worker shows messages, and changes no request. */
export const WORKER = "/static/push-worker.js";

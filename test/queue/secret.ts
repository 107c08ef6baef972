/** Shared by the tests of the queue and the processes that they start. */
export const SECRET = "a secret of the tests of the queue";

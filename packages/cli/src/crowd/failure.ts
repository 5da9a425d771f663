/** The run cannot continue; the message is one sentence for the user. */
export class Failure extends Error {}

/** One sentence for whoever runs the crowd: it cannot go on. */
export class Failure extends Error {}

/** The logger of all that is played: a history is judged by what callers saw. */
export const silent: { warn(): void; error(): void } = { warn() {}, error() {} }

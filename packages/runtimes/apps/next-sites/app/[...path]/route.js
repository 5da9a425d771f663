export const dynamic = 'force-dynamic'

/** What the test that serves this application answers by. */
const answer = (request) => globalThis.sluiceAnswer(request)

export const GET = answer
export const HEAD = answer
export const POST = answer
export const PUT = answer
export const PATCH = answer
export const DELETE = answer
export const OPTIONS = answer

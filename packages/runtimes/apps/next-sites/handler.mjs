import next from 'next'

const app = next({ dev: false, dir: import.meta.dirname })
await app.prepare()

export const handler = app.getRequestHandler()

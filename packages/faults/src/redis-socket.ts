import path from 'node:path'

const { SLUICE_TEST_REDIS_DIR = '', JEST_WORKER_ID = '' } = process.env

/** This worker's own Redis server, as jest's set-up has started it. */
export const socket: string = path.join(SLUICE_TEST_REDIS_DIR, `${JEST_WORKER_ID}.sock`)

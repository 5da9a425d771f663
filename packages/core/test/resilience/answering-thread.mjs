import { createServer } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

/** Answers whatever it is sent, and says in shared memory that the answer is on its way. */
const server = createServer((socket) => {
  socket.on('data', () => {
    socket.write('answer', () => {
      Atomics.store(workerData, 0, 1)
      Atomics.notify(workerData, 0)
    })
  })
})
server.listen(0, '127.0.0.1', () => parentPort?.postMessage(server.address().port))

export { bunProgram, denoProgram, nodeProgram, workerdProgram } from './binaries.ts'
export { bundleForWorkers } from './bundle.ts'
export { type RunningWorker, serveWorker, type WorkerOptions } from './worker.ts'

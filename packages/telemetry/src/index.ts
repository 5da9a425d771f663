export { type MemorySinkOptions, memorySink } from './memory-sink.ts'
export { type Recorder, type RecorderOptions, recorder } from './recorder.ts'
export type { Data, Labels, Points, Sample, Sink, SinkQuery } from './sink.ts'

export { changedBy, inFile, type SingleFault, type SourceChange } from './fault.ts'

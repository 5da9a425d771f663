import { describeTrials } from '../../src/trial/describe-trials.ts'
import { trials } from '../../src/trial/scenarios/list.ts'

describeTrials(trials)

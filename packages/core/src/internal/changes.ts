export { changeable, inForce, isChangeable, policyWithOptions } from '../strategies/changing.ts'

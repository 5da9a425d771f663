// Takes the place of the Lua texts of operations: the server knows a script by its last line.
export const enlistLua: string = '\n-- enlist'
export const entriesLua: string = '\n-- entries'
export const publishLua: string = '\n-- publish'
export const actLua: string = '\n-- act'

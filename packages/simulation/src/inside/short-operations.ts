// Takes the place of the Lua texts of operations: the server knows a script by its last line.
export const enlistLua = '\n-- enlist'
export const entriesLua = '\n-- entries'
export const publishLua = '\n-- publish'
export const actLua = '\n-- act'

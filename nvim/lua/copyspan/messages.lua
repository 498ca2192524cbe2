--- What a person is told. Knows no more than how to say it.
local M = {}

M.CHANGED = 'The lines were changed while they were being edited; nothing was changed. Ask again for the new text.'

---@param text string
---@param level? integer One of vim.log.levels; INFO where it is absent.
function M.say(text, level) vim.notify('copyspan: ' .. text, level or vim.log.levels.INFO, { title = 'copyspan' }) end

---@param text string
function M.warn(text) M.say(text, vim.log.levels.WARN) end

return M

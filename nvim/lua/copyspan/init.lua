--- What a person's configuration may call. Everything behind it is loaded when it is used.
local M = {}

---@class copyspan.EditOptions
---@field instruction? string What to change; asked for where it is absent or empty.
---@field rows? [integer, integer] The lines that may change: the first, and the one after the last, from 0.
---@field bufnr? integer The current buffer where it is absent.

---@param options? copyspan.EditOptions
function M.edit(options) require('copyspan.edit').edit(options or {}) end

--- Implements the command of the code action "AI edit...".
---@param command lsp.Command
---@param context { bufnr: integer }
function M.ask(command, context) require('copyspan.edit').ask(command, context) end

---@param options? { all?: boolean }
function M.accept(options) require('copyspan.review').accept(options and options.all or false) end

---@param options? { all?: boolean }
function M.reject(options) require('copyspan.review').reject(options and options.all or false) end

--- To the next hunk, or to the previous one.
---@param direction 1|-1
function M.go(direction) require('copyspan.review').go(direction) end

--- Another answer to the same instruction.
function M.next() require('copyspan.edit').next(vim.api.nvim_get_current_buf()) end

--- Stop the model, and end the preview. Nothing is changed.
function M.cancel() require('copyspan.edit').cancel(vim.api.nvim_get_current_buf()) end

--- How the edit was made: the program that copies lines and writes new ones, and its cost.
function M.program() require('copyspan.program').show() end

--- Say what the server does.
function M.show_status() require('copyspan.status').show() end

--- For a statusline: what copyspan does in a buffer, or an empty text.
---@param bufnr? integer
---@return string
function M.status(bufnr) return require('copyspan.status').text(bufnr or vim.api.nvim_get_current_buf()) end

return M

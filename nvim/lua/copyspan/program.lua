--- Shows how the last edit of a buffer was made.
local messages = require('copyspan.messages')
local sessions = require('copyspan.session')

local M = {}

--- The program and its cost, for people.
---@param result copyspan.Result
---@return string[]
function M.lines(result)
  local cost = result.cost
  local head = {
    result.message,
    ('%d lines copied, %d written (%d and %d tokens)'):format(
      cost.copiedLines,
      cost.generatedLines,
      cost.copiedTokens,
      cost.generatedTokens
    ),
    ('%d decode steps instead of %d, %.1f s, %s on %s'):format(
      cost.forwards,
      cost.plainForwards,
      cost.seconds,
      result.model,
      result.device
    ),
    '',
  }
  return vim.list_extend(head, vim.split(vim.trim(result.program), '\n'))
end

--- In a window of its own, which `q` closes.
function M.show()
  local result = sessions.result(vim.api.nvim_get_current_buf())
  if not result then return messages.warn('There was no edit in this buffer yet.') end
  vim.cmd('botright new')
  local bufnr = vim.api.nvim_get_current_buf()
  vim.bo[bufnr].buftype, vim.bo[bufnr].bufhidden, vim.bo[bufnr].swapfile = 'nofile', 'wipe', false
  local shown = M.lines(result)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, vim.tbl_map(function(line) return (line:gsub('\r', '')) end, shown))
  vim.bo[bufnr].modifiable = false
  vim.api.nvim_win_set_height(0, math.min(#shown, math.floor(vim.o.lines / 3)))
  vim.keymap.set('n', 'q', vim.cmd.close, { buffer = bufnr, nowait = true })
end

return M

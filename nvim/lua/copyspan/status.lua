--- What copyspan does at the moment, in words.
local client = require('copyspan.client')
local messages = require('copyspan.messages')
local sessions = require('copyspan.session')

local M = {}

--- For a statusline; empty where nothing is under way.
---@param bufnr integer
---@return string
function M.text(bufnr)
  local session = sessions.get(bufnr)
  if session and (session.request or not session.is_reviewing) then
    return session.percentage and ('copyspan %d%%'):format(session.percentage) or 'copyspan ...'
  elseif session then
    return ('copyspan %d %s'):format(#session.hunks, #session.hunks == 1 and 'hunk' or 'hunks')
  end
  local state = client.find(bufnr) and client.state.state
  return (state == 'loading' or state == 'downloading') and 'copyspan ' .. state or ''
end

--- A status of the server as a sentence.
---@param status copyspan.Status
---@return string
function M.sentence(status)
  local words = {
    unloaded = 'is loaded with the first edit',
    missing = 'is not on this machine',
    downloading = 'is being downloaded',
    loading = 'is being loaded',
    ready = 'is ready',
    working = 'is at work',
    failed = 'could not be loaded',
  }
  local text = ('%s %s'):format(status.model, words[status.state] or status.state)
  if status.device then text = ('%s on %s (%s)'):format(text, status.device, status.dtype or 'unknown numbers') end
  if (status.queue or 0) > 0 then text = ('%s; %d edits wait'):format(text, status.queue) end
  return status.message and ('%s. %s'):format(text, status.message) or text .. '.'
end

--- Ask the server, and say what it does.
function M.show()
  local bufnr = vim.api.nvim_get_current_buf()
  local found = client.find(bufnr) or client.find()
  if not found then
    return messages.say("No server is running. The first edit starts one; so does vim.lsp.enable('copyspan').")
  end
  client.request(found, 'copyspan/status', vim.empty_dict(), bufnr, function(problem, status)
    if problem then messages.warn(problem.message) else messages.say(M.sentence(status)) end
  end)
end

return M
